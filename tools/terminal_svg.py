"""Draws terminal output as an SVG picture: python3 tools/terminal_svg.py "COMMAND" < text > picture.svg

Plain text in, one <text> element per line out, in the colours of a dark terminal. Used for the picture of the README:

    cargo run --release --quiet -- derive rolling-disk --verify | head -46 |
      python3 tools/terminal_svg.py "polhode derive rolling-disk --verify" > docs/derive.svg
"""

import html
import sys
import unicodedata

CELL, LINE, MARGIN, BAR = 8.4, 19, 18, 34
BACKGROUND, FOREGROUND, QUIET, HEADING = "#16181d", "#e6e6e6", "#8b93a1", "#7fc8f8"


def columns(line):
    return sum(0 if unicodedata.combining(c) else 1 for c in line)


def clusters(line):
    """Characters with their combining marks, so that each cluster stands in its own cell."""
    out = []
    for c in line:
        if unicodedata.combining(c) and out:
            out[-1] += c
        else:
            out.append(c)
    return out


def main():
    command = sys.argv[1]
    lines = sys.stdin.read().rstrip("\n").split("\n")
    width = max(columns(line) for line in lines + [command + "  "]) * CELL + 2 * MARGIN
    height = BAR + (len(lines) + 2) * LINE + MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
          f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14">')
    print(f'<rect width="100%" height="100%" rx="9" fill="{BACKGROUND}"/>')
    for i, colour in enumerate(["#ff5f57", "#febc2e", "#28c840"]):
        print(f'<circle cx="{20 + 20 * i}" cy="19" r="6" fill="{colour}"/>')
    rows = [("$ " + command, QUIET), ("", QUIET)]
    for n, line in enumerate(lines):
        heading = line and not line.startswith(" ")
        colour = FOREGROUND if n == 0 else QUIET if n == 1 else HEADING if heading else FOREGROUND
        rows.append((line, colour))
    for n, (line, colour) in enumerate(rows):
        y = BAR + MARGIN + n * LINE
        x = MARGIN
        run = []
        for cell in clusters(line):
            run.append((x, cell))
            x += CELL
        drawn = [(x, c) for x, c in run if c != " "]
        if not drawn:
            continue
        positions = " ".join(f"{x:.1f}" for x, c in drawn for _ in c)
        print(f'<text y="{y}" x="{positions}" fill="{colour}">{html.escape("".join(c for _, c in drawn))}</text>')
    print("</svg>")


if __name__ == "__main__":
    main()
