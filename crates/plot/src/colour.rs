//! Colours for numbers.
//!
//! Sequential: viridis \[SmithWalt2015\], of which every step is seen as a step, in grey and with any colour vision. Diverging: blue over
//! white to red, for numbers on both sides of zero \[HarrowerBrewer2003\]. Kinds: the colours of Okabe and Ito \[OkabeIto2008\].

/// Red, green, blue.
pub type Rgb = [u8; 3];

/// Where there is no value.
pub const NONE: Rgb = [0xd0, 0xd0, 0xd0];

const VIRIDIS: [u32; 11] =
    [0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725];
const DIVERGING: [u32; 11] =
    [0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f];
const KINDS: [u32; 8] = [0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0xcc79a7, 0x56b4e9, 0xf0e442, 0x555555];

fn rgb(x: u32) -> Rgb {
    [(x >> 16) as u8, (x >> 8) as u8, x as u8]
}

fn along(colours: &[u32], u: f64) -> Rgb {
    let place = u.clamp(0.0, 1.0) * (colours.len() - 1) as f64;
    let k = (place as usize).min(colours.len() - 2);
    let (a, b, part) = (rgb(colours[k]), rgb(colours[k + 1]), place - k as f64);
    std::array::from_fn(|i| (f64::from(a[i]) + part * (f64::from(b[i]) - f64::from(a[i]))).round() as u8)
}

/// The colour at a fraction from the smallest to the largest value.
pub fn sequential(u: f64) -> Rgb {
    along(&VIRIDIS, u)
}

/// The same on both sides of zero, which is at one half.
pub fn diverging(u: f64) -> Rgb {
    along(&DIVERGING, u)
}

/// The colour of a kind.
pub fn kind(k: usize) -> Rgb {
    rgb(KINDS[k % KINDS.len()])
}

/// As `#rrggbb`.
pub fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of sRGB.
    fn luminance(c: Rgb) -> f64 {
        let linear = |x: u8| {
            let x = f64::from(x) / 255.0;
            if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2])
    }

    #[test]
    fn brighter_is_more() {
        let all: Vec<f64> = (0..=100).map(|k| luminance(sequential(f64::from(k) / 100.0))).collect();
        assert!(all.windows(2).all(|w| w[1] > w[0]));
    }

    #[test]
    fn zero_is_the_brightest_of_the_diverging() {
        let all: Vec<f64> = (0..=100).map(|k| luminance(diverging(f64::from(k) / 100.0))).collect();
        assert!(all[..=50].windows(2).all(|w| w[1] > w[0]) && all[50..].windows(2).all(|w| w[1] < w[0]));
        assert_eq!(hex(diverging(0.5)), "#f7f7f7");
    }
}
