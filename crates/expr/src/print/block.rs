//! Blocks of text with a baseline, the boxes of two-dimensional typesetting.
//!
//! A block is a rectangle of characters. One row is its baseline: blocks are set
//! side by side with their baselines level, and a fraction's baseline is its bar.

/// The number of terminal columns a text takes: marks that combine with the letter
/// before them (the dots of θ̇) take none, wide East Asian characters two.
pub fn display_width(text: &str) -> usize {
    text.chars()
        .map(|c| match c as u32 {
            0x300..=0x36F | 0x20D0..=0x20FF | 0x200B..=0x200D | 0xFE00..=0xFE0F => 0,
            0x1100..=0x115F
            | 0x2E80..=0xA4CF
            | 0xAC00..=0xD7A3
            | 0xF900..=0xFAFF
            | 0xFF00..=0xFF60
            | 0x1F300..=0x1FAFF => 2,
            _ => 1,
        })
        .sum()
}

/// A rectangle of text. Every row is padded to the full width.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    rows: Vec<String>,
    width: usize,
    baseline: usize,
}

impl Block {
    /// One row.
    pub(super) fn line(text: impl Into<String>) -> Block {
        let text = text.into();
        Block { width: display_width(&text), rows: vec![text], baseline: 0 }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn is_line(&self) -> bool {
        self.rows.len() == 1
    }

    fn below(&self) -> usize {
        self.rows.len() - 1 - self.baseline
    }

    /// Blocks side by side, baselines level.
    pub(super) fn row(blocks: &[Block]) -> Block {
        let above = blocks.iter().map(|b| b.baseline).max().unwrap_or(0);
        let below = blocks.iter().map(Block::below).max().unwrap_or(0);
        let mut rows = vec![String::new(); above + 1 + below];
        for block in blocks {
            let top = above - block.baseline;
            for (at, row) in rows.iter_mut().enumerate() {
                match at.checked_sub(top).and_then(|i| block.rows.get(i)) {
                    Some(text) => row.push_str(text),
                    None => row.extend(std::iter::repeat_n(' ', block.width)),
                }
            }
        }
        Block { rows, width: blocks.iter().map(|b| b.width).sum(), baseline: above }
    }

    /// Numerator over denominator, with a bar that reaches one column beyond both.
    pub(super) fn fraction(over: &Block, under: &Block) -> Block {
        let width = over.width.max(under.width) + 2;
        let centred = |b: &Block| {
            let left = (width - b.width) / 2;
            let right = width - b.width - left;
            b.rows.iter().map(|r| format!("{}{r}{}", " ".repeat(left), " ".repeat(right))).collect::<Vec<_>>()
        };
        let mut rows = centred(over);
        let baseline = rows.len();
        rows.push("─".repeat(width));
        rows.extend(centred(under));
        Block { rows, width, baseline }
    }

    /// The block in parentheses of its own height.
    pub(super) fn parenthesised(&self) -> Block {
        if self.is_line() {
            return Block::row(&[Block::line("("), self.clone(), Block::line(")")]);
        }
        let last = self.rows.len() - 1;
        let side = |at: usize, [top, middle, bottom]: [char; 3]| match at {
            0 => top,
            at if at == last => bottom,
            _ => middle,
        };
        let rows = self.rows.iter().enumerate();
        let rows = rows.map(|(i, r)| format!("{}{r}{}", side(i, ['⎛', '⎜', '⎝']), side(i, ['⎞', '⎟', '⎠']))).collect();
        Block { rows, width: self.width + 2, baseline: self.baseline }
    }

    /// The block with a short text at its upper right.
    pub(super) fn raised(&self, exponent: &str) -> Block {
        let extra = display_width(exponent);
        let rows = self.rows.iter().enumerate();
        let rows =
            rows.map(|(i, r)| if i == 0 { format!("{r}{exponent}") } else { format!("{r}{}", " ".repeat(extra)) });
        Block { rows: rows.collect(), width: self.width + extra, baseline: self.baseline }
    }

    /// Blocks one below the other, each pushed right by its indent; the baseline is
    /// that of the first. Where one reaches below its baseline or the next above its
    /// own, an empty row keeps them apart.
    pub(super) fn stack(lines: Vec<(usize, Block)>) -> Block {
        let width = lines.iter().map(|(indent, b)| indent + b.width).max().unwrap_or(0);
        let baseline = lines.first().map_or(0, |(_, b)| b.baseline);
        let mut rows: Vec<String> = Vec::new();
        let mut reaches_down = false;
        for (indent, block) in lines {
            if !rows.is_empty() && (reaches_down || block.baseline > 0) {
                rows.push(" ".repeat(width));
            }
            reaches_down = block.below() > 0;
            let right = " ".repeat(width - indent - block.width);
            rows.extend(block.rows.iter().map(|r| format!("{}{r}{right}", " ".repeat(indent))));
        }
        if rows.is_empty() {
            rows.push(String::new());
        }
        Block { rows, width, baseline }
    }

    /// The rows joined, without trailing spaces.
    pub(super) fn into_text(self) -> String {
        self.rows.iter().map(|r| r.trim_end()).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths() {
        assert_eq!(display_width("θ\u{308} = x"), 5);
        assert_eq!(display_width("車輪"), 4);
        assert_eq!(display_width(""), 0);
    }

    #[test]
    fn baselines_are_level() {
        let half = Block::fraction(&Block::line("a + b"), &Block::line("2"));
        let row = Block::row(&[Block::line("x = "), half.parenthesised().raised("²")]);
        assert_eq!(row.clone().into_text(), "    ⎛ a + b ⎞²\nx = ⎜───────⎟\n    ⎝   2   ⎠");
        assert!(row.rows.iter().all(|r| display_width(r) == row.width));
    }

    #[test]
    fn stacks_indent() {
        let s = Block::stack(vec![(0, Block::line("a")), (2, Block::line("+ b"))]);
        assert_eq!(s.into_text(), "a\n  + b");
        assert_eq!(Block::stack(Vec::new()).into_text(), "");
        assert_eq!(Block::row(&[]).into_text(), "");
    }
}
