//! Coefficients of DOP853: [HairerNorsettWanner1993, ch. II], to all published digits.
//!
//! Stages are counted from 0 in the indices and from 1 in the names, which are those of the book.

#![expect(clippy::excessive_precision, reason = "the published digits")]

/// A weighted sum of stages, Σ weightsⱼ k_stagesⱼ.
pub(crate) struct Row<const M: usize> {
    pub(crate) stages: [usize; M],
    pub(crate) weights: [f64; M],
}

/// Where the stages are, as fractions of the step.
pub(crate) const C: [f64; 16] = [
    0.0,
    0.0526001519587677318785587544488,
    0.0789002279381515978178381316732,
    0.118350341907227396726757197510,
    0.281649658092772603273242802490,
    0.333333333333333333333333333333,
    0.25,
    0.307692307692307692307692307692,
    0.651282051282051282051282051282,
    0.6,
    0.857142857142857142857142857142,
    1.0,
    1.0,
    0.1,
    0.2,
    0.777777777777777777777777777778,
];

/// Stage 2.
pub(crate) const A2: Row<1> = Row { stages: [0], weights: [0.0526001519587677318785587544488] };

/// Stage 3.
pub(crate) const A3: Row<2> =
    Row { stages: [0, 1], weights: [0.0197250569845378994544595329183, 0.0591751709536136983633785987549] };

/// Stage 4.
pub(crate) const A4: Row<2> =
    Row { stages: [0, 2], weights: [0.0295875854768068491816892993775, 0.0887627564304205475450678981324] };

/// Stage 5.
pub(crate) const A5: Row<3> = Row {
    stages: [0, 2, 3],
    weights: [0.241365134159266685502369798665, -0.884549479328286085344864962717, 0.924834003261792003115737966543],
};

/// Stage 6.
pub(crate) const A6: Row<3> = Row {
    stages: [0, 3, 4],
    weights: [0.037037037037037037037037037037, 0.170828608729473871279604482173, 0.125467687566822425016691814123],
};

/// Stage 7.
pub(crate) const A7: Row<4> = Row {
    stages: [0, 3, 4, 5],
    weights: [0.037109375, 0.170252211019544039314978060272, 0.0602165389804559606850219397283, -0.017578125],
};

/// Stage 8.
pub(crate) const A8: Row<5> = Row {
    stages: [0, 3, 4, 5, 6],
    weights: [
        0.0370920001185047927108779319836,
        0.170383925712239993810214054705,
        0.107262030446373284651809199168,
        -0.0153194377486244017527936158236,
        0.00827378916381402288758473766002,
    ],
};

/// Stage 9.
pub(crate) const A9: Row<6> = Row {
    stages: [0, 3, 4, 5, 6, 7],
    weights: [
        0.624110958716075717114429577812,
        -3.36089262944694129406857109825,
        -0.868219346841726006818189891453,
        27.5920996994467083049415600797,
        20.1540675504778934086186788979,
        -43.4898841810699588477366255144,
    ],
};

/// Stage 10.
pub(crate) const A10: Row<7> = Row {
    stages: [0, 3, 4, 5, 6, 7, 8],
    weights: [
        0.477662536438264365890433908527,
        -2.48811461997166764192642586468,
        -0.590290826836842996371446475743,
        21.2300514481811942347288949897,
        15.2792336328824235832596922938,
        -33.2882109689848629194453265587,
        -0.0203312017085086261358222928593,
    ],
};

/// Stage 11.
pub(crate) const A11: Row<8> = Row {
    stages: [0, 3, 4, 5, 6, 7, 8, 9],
    weights: [
        -0.93714243008598732571704021658,
        5.18637242884406370830023853209,
        1.09143734899672957818500254654,
        -8.14978701074692612513997267357,
        -18.5200656599969598641566180701,
        22.7394870993505042818970056734,
        2.49360555267965238987089396762,
        -3.0467644718982195003823669022,
    ],
};

/// Stage 12.
pub(crate) const A12: Row<9> = Row {
    stages: [0, 3, 4, 5, 6, 7, 8, 9, 10],
    weights: [
        2.27331014751653820792359768449,
        -10.5344954667372501984066689879,
        -2.00087205822486249909675718444,
        -17.9589318631187989172765950534,
        27.9488845294199600508499808837,
        -2.85899827713502369474065508674,
        -8.87285693353062954433549289258,
        12.3605671757943030647266201528,
        0.643392746015763530355970484046,
    ],
};

/// The solution of order 8.
pub(crate) const B: Row<8> = Row {
    stages: [0, 5, 6, 7, 8, 9, 10, 11],
    weights: [
        0.0542937341165687622380535766363,
        4.45031289275240888144113950566,
        1.89151789931450038304281599044,
        -5.8012039600105847814672114227,
        0.31116436695781989440891606237,
        -0.152160949662516078556178806805,
        0.201365400804030348374776537501,
        0.0447106157277725905176885569043,
    ],
};

/// What the embedded solution of order 5 differs by.
pub(crate) const E5: Row<8> = Row {
    stages: [0, 5, 6, 7, 8, 9, 10, 11],
    weights: [
        0.01312004499419488073250102996,
        -1.225156446376204440720569753,
        -0.4957589496572501915214079952,
        1.664377182454986536961530415,
        -0.3503288487499736816886487290,
        0.3341791187130174790297318841,
        0.08192320648511571246570742613,
        -0.02235530786388629525884427845,
    ],
};

/// The embedded solution of order 3.
pub(crate) const B3: Row<3> = Row {
    stages: [0, 8, 11],
    weights: [0.244094488188976377952755905512, 0.733846688281611857341361741547, 0.0220588235294117647058823529412],
};

/// Stage 14, for dense output; stage 13 is the slope at the end.
pub(crate) const A14: Row<8> = Row {
    stages: [0, 6, 7, 8, 9, 10, 11, 12],
    weights: [
        0.0561675022830479523392909219681,
        0.253500210216624811088794765333,
        -0.246239037470802489917441475441,
        -0.124191423263816360469010140626,
        0.15329179827876569731206322685,
        0.00820105229563468988491666602057,
        0.00756789766054569976138603589584,
        -0.008298,
    ],
};

/// Stage 15, for dense output; stage 13 is the slope at the end.
pub(crate) const A15: Row<8> = Row {
    stages: [0, 5, 6, 7, 10, 11, 12, 13],
    weights: [
        0.0318346481635021405060768473261,
        0.0283009096723667755288322961402,
        0.0535419883074385676223797384372,
        -0.0549237485713909884646569340306,
        -0.000108347328697249322858509316994,
        0.000382571090835658412954920192323,
        -0.000340465008687404560802977114492,
        0.141312443674632500278074618366,
    ],
};

/// Stage 16, for dense output; stage 13 is the slope at the end.
pub(crate) const A16: Row<8> = Row {
    stages: [0, 5, 6, 7, 8, 12, 13, 14],
    weights: [
        -0.428896301583791923408573538692,
        -4.69762141536116384314449447206,
        7.68342119606259904184240953878,
        4.06898981839711007970213554331,
        0.356727187455281109270669543021,
        -0.00139902416515901462129418009734,
        2.9475147891527723389556272149,
        -9.15095847217987001081870187138,
    ],
};

/// Coefficient 4 of the dense output.
pub(crate) const D4: Row<12> = Row {
    stages: [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    weights: [
        -8.4289382761090128651353491142,
        0.56671495351937776962531783590,
        -3.0689499459498916912797304727,
        2.3846676565120698287728149680,
        2.1170345824450282767155149946,
        -0.87139158377797299206789907490,
        2.2404374302607882758541771650,
        0.63157877876946881815570249290,
        -0.088990336451333310820698117400,
        18.148505520854727256656404962,
        -9.1946323924783554000451984436,
        -4.4360363875948939664310572000,
    ],
};

/// Coefficient 5 of the dense output.
pub(crate) const D5: Row<12> = Row {
    stages: [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    weights: [
        10.427508642579134603413151009,
        242.28349177525818288430175319,
        165.20045171727028198505394887,
        -374.54675472269020279518312152,
        -22.113666853125306036270938578,
        7.7334326684722638389603898808,
        -30.674084731089398182061213626,
        -9.3321305264302278729567221706,
        15.697238121770843886131091075,
        -31.139403219565177677282850411,
        -9.3529243588444783865713862664,
        35.816841486394083752465898540,
    ],
};

/// Coefficient 6 of the dense output.
pub(crate) const D6: Row<12> = Row {
    stages: [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    weights: [
        19.985053242002433820987653617,
        -387.03730874935176555105901742,
        -189.17813819516756882830838328,
        527.80815920542364900561016686,
        -11.573902539959630126141871134,
        6.8812326946963000169666922661,
        -1.0006050966910838403183860980,
        0.77771377980534432092869265740,
        -2.7782057523535084065932004339,
        -60.196695231264120758267380846,
        84.320405506677161018159903784,
        11.992291136182789328035130030,
    ],
};

/// Coefficient 7 of the dense output.
pub(crate) const D7: Row<12> = Row {
    stages: [0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    weights: [
        -25.693933462703749003312586129,
        -154.18974869023643374053993627,
        -231.52937917604549567536039109,
        357.63911791061412378285349910,
        93.405324183624310003907691704,
        -37.458323136451633156875139351,
        104.09964950896230045147246184,
        29.840293426660503123344363579,
        -43.533456590011143754432175058,
        96.324553959188282948394950600,
        -39.177261675615439165231486172,
        -149.72683625798562581422125276,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;
    use polhode_tape::{Dd, Scalar};

    fn dense<const M: usize>(row: &Row<M>) -> [f64; 16] {
        let mut full = [0.0; 16];
        for (j, w) in row.stages.iter().zip(row.weights) {
            full[*j] = w;
        }
        full
    }

    fn matrix() -> [[f64; 16]; 16] {
        [
            [0.0; 16],
            dense(&A2),
            dense(&A3),
            dense(&A4),
            dense(&A5),
            dense(&A6),
            dense(&A7),
            dense(&A8),
            dense(&A9),
            dense(&A10),
            dense(&A11),
            dense(&A12),
            dense(&B),
            dense(&A14),
            dense(&A15),
            dense(&A16),
        ]
    }

    /// Σᵢ wᵢ xᵢ beyond doubles, so that only the rounding of the coefficients is left.
    fn dot(w: &[f64; 16], x: impl Fn(usize) -> Dd) -> Dd {
        (0..16).fold(Dd::ZERO, |sum, i| sum + Dd::from(w[i]) * x(i))
    }

    fn power(c: f64, k: u32) -> Dd {
        (0..k).fold(Dd::ONE, |p, _| p * Dd::from(c))
    }

    /// Nearly equal, for sums whose terms have the size of the weights.
    fn assert_close(found: Dd, wanted: Dd, w: &[f64; 16], what: &str) {
        let size = w.iter().fold(1.0f64, |s, w| s.max(w.abs()));
        let off = (found - wanted).to_f64().abs();
        assert!(off < 1e-15 * size, "{what}: off by {off:e}");
    }

    #[test]
    fn stages_lie_where_they_say() {
        for (i, row) in matrix().iter().enumerate() {
            assert_close(dot(row, |_| Dd::ONE), Dd::from(C[i]), row, &format!("row {i}"));
        }
    }

    #[test]
    fn quadrature_conditions() {
        let (b, e5, b3) = (dense(&B), dense(&E5), dense(&B3));
        for k in 0..8 {
            let moment = |w: &[f64; 16]| dot(w, |i| power(C[i], k));
            let exact = Dd::ONE / Dd::from(f64::from(k + 1));
            assert_close(moment(&b), exact, &b, &format!("b, c^{k}"));
            if k < 5 {
                assert_close(moment(&e5), Dd::ZERO, &e5, &format!("e5, c^{k}"));
            }
            if k < 3 {
                assert_close(moment(&b3), exact, &b3, &format!("b3, c^{k}"));
            }
        }
        // one order more is not met: the estimates do estimate
        assert!(dot(&e5, |i| power(C[i], 5)).to_f64().abs() > 1e-6);
        assert!((dot(&b3, |i| power(C[i], 3)).to_f64() - 0.25).abs() > 1e-6);
        assert!((dot(&b, |i| power(C[i], 8)).to_f64() - 1.0 / 9.0).abs() > 1e-9);
    }

    /// Σᵢⱼ bᵢ cᵢᵏ aᵢⱼ cⱼˡ = 1/((l+1)(k+l+2)) up to order 8: the trees with one branching beyond the root.
    #[test]
    fn conditions_on_the_stages() {
        let (a, b) = (matrix(), dense(&B));
        for k in 0..7 {
            for l in 0..7 - k {
                let sum = dot(&b, |i| power(C[i], k) * dot(&a[i], |j| power(C[j], l)));
                let exact = Dd::ONE / Dd::from(f64::from((l + 1) * (k + l + 2)));
                // rows with weights near 43 are summed here
                let off = (sum - exact).to_f64().abs();
                assert!(off < 1e-14, "k = {k}, l = {l}: off by {off:e}");
            }
        }
    }

    /// The polynomial of ẏ = tᵐ is t^(m+1)/(m+1) everywhere in the step, for m ≤ 6.
    #[test]
    fn dense_output_integrates_powers() {
        for m in 0..7 {
            let f = |i: usize| power(C[i], m);
            let change = dot(&dense(&B), f);
            let bend = f(0) - change;
            let c = [
                Dd::ZERO,
                change,
                bend,
                change - f(12) - bend,
                dot(&dense(&D4), f),
                dot(&dense(&D5), f),
                dot(&dense(&D6), f),
                dot(&dense(&D7), f),
            ];
            for theta in [0.125, 0.3, 0.5, 0.75, 0.9] {
                let mut y = [Dd::ZERO];
                crate::segment::evaluate(crate::Basis::Alternating, 8, &c, Dd::from(theta), &mut y);
                let exact = power(theta, m + 1) / Dd::from(f64::from(m + 1));
                assert!((y[0] - exact).to_f64().abs() < 1e-13, "m = {m}, θ = {theta}: {:?} {exact:?}", y[0]);
            }
        }
    }
}
