"""The three faces of Polhode Sans, subsets of DejaVu Sans 2.37 (see LICENSE).

    pip install fonttools==4.68.0
    python subset.py FOLDER-WITH-DEJAVU-FONTS

writes polhode-sans{,-oblique,-bold}.ttf beside this file.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

HERE = Path(__file__).parent

# Letters of one piece with accents that mechanics uses: dots, hats, bars.
DOTTED = "ȦȧḂḃĊċḊḋĖėḞḟĠġḢḣŻżṀṁṄṅṖṗṘṙṠṡṪṫẆẇẊẋẎẏẌẍẅẄẑẐÿŸḧẗ"

# Single letters are italic, with accents.
LETTERS = [
    (0x20, 0x20), (0x41, 0x5A), (0x61, 0x7A),
    (0x300, 0x304), (0x306, 0x308), (0x30A, 0x30A), (0x30C, 0x30C), (0x20D7, 0x20D7), (0x20DB, 0x20DC), # combining accents
    (0x391, 0x3A1), (0x3A3, 0x3A9), (0x3B1, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D6), (0x3F0, 0x3F1), (0x3F5, 0x3F5), # Greek
    (0x131, 0x131), (0x2113, 0x2113), # ı, ℓ
]

# Titles are bold.
TITLES = LETTERS + [
    (0x21, 0x7E), (0xA0, 0x17F), (0x384, 0x3CE), # Latin, Greek
    (0x2010, 0x2015), (0x2018, 0x201E), (0x2026, 0x2026), (0x2032, 0x2034), # dashes, quotation marks, primes
    (0x2070, 0x2071), (0x2074, 0x208E), (0x2190, 0x2194), # digits above and below the line, arrows
    (0x2202, 0x2202), (0x2206, 0x2207), (0x2212, 0x2213), (0x221A, 0x221A), (0x221E, 0x221E), (0x2248, 0x2248),
    (0x2260, 0x2260), (0x2264, 0x2265),
]

# Everything else is upright; what the other faces have not comes from here.
ALL = TITLES + [
    (0x2B0, 0x2B8), (0x2C6, 0x2C7), (0x2D8, 0x2DD), (0x2E1, 0x2E3), # letters above the line, accents
    (0x323, 0x323), (0x331, 0x332), # combining accents below
    (0x3CF, 0x3F6), # more Greek
    (0x400, 0x45F), # Cyrillic
    (0x1D2C, 0x1D6A), (0x1D9C, 0x1D9C), (0x1DA0, 0x1DA0), (0x1DBB, 0x1DBB), # letters above and below the line
    (0x2016, 0x2017), (0x201F, 0x2022), (0x2030, 0x203A), (0x2057, 0x2057),
    (0x2070, 0x209C), (0x20AC, 0x20AC), # digits and letters above and below the line
    (0x2102, 0x2102), (0x210F, 0x210F), (0x2115, 0x211D), (0x2124, 0x2124), (0x2126, 0x2127), (0x2150, 0x215E),
    (0x2195, 0x2199), (0x21A6, 0x21A6), (0x21BA, 0x21BB), (0x21C4, 0x21C4), (0x21D0, 0x21D4), # arrows
    (0x2200, 0x2211), (0x2214, 0x2238), (0x223C, 0x223C), (0x2243, 0x224D), (0x2254, 0x2255), (0x2261, 0x2287), # mathematics
    (0x2295, 0x2299), (0x22A2, 0x22A5), (0x22C0, 0x22C6), (0x22EE, 0x22F1),
    (0x2308, 0x230B), (0x231F, 0x231F), (0x27E8, 0x27E9), (0x27F5, 0x27FA), # brackets, long arrows
    (0x2C7C, 0x2C7C), (0xFFFD, 0xFFFD), # subscript j, what stands for characters that XML forbids
]


FACES = {
    "polhode-sans": ("DejaVuSans.ttf", "Regular", ALL),
    "polhode-sans-oblique": ("DejaVuSans-Oblique.ttf", "Oblique", LETTERS),
    "polhode-sans-bold": ("DejaVuSans-Bold.ttf", "Bold", TITLES),
}


def face(target, source, style, ranges, folder):
    font = TTFont(folder / source, recalcTimestamp=False)
    options = subset.Options()
    options.hinting = False
    options.layout_features = ["ccmp", "locl", "mark", "mkmk"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.name_languages = [0x409]
    options.notdef_outline = True
    options.glyph_names = False
    options.drop_tables += ["FFTM", "MATH", "gasp"]
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes={c for a, b in ranges for c in range(a, b + 1)} | set(map(ord, DOTTED)))
    subsetter.subset(font)
    family = "Polhode Sans"
    names = {
        1: family,
        2: style,
        3: f"{family} {style}, from DejaVu Sans 2.37",
        4: family if style == "Regular" else f"{family} {style}",
        6: "PolhodeSans" if style == "Regular" else f"PolhodeSans-{style}",
    }
    for record in list(font["name"].names):
        if record.nameID in names:
            record.string = names[record.nameID]
    font.save(HERE / f"{target}.ttf")
    return (HERE / f"{target}.ttf").stat().st_size, len(font.getGlyphOrder())


for target, (source, style, ranges) in FACES.items():
    print(target, *face(target, source, style, ranges, Path(sys.argv[1])))
