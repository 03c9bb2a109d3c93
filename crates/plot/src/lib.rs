//! Plots as SVG and as characters.
