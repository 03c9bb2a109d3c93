//! A rolling body is an ordinary system: rotation and centre as one SE(3) factor, points of contact that the
//! velocities carry along (ċ = V, ċ₁ = R V with K V = ν × Ω), and the constraint v = c × Ω. The frame equation does
//! the rest. Compared with motions in 30 digits that were computed from other equations.

use crate::prelude::*;
use polhode_expr::number::parse_decimal;
use polhode_expr::{Expr, Graph, Symbol};
use polhode_geometry::{Contact, Shape, Surface, linear};
use polhode_model::{Constraint, InitialValue};

/// What a reference gives at one time.
struct State {
    t: f64,
    c: [&'static str; 3],
    c1: [&'static str; 3],
    rotation: [&'static str; 9],
    omega: [&'static str; 3],
    force: [&'static str; 3],
    energy: &'static str,
}

/// Both begin with the same point of the ellipsoid, and in the same orientation.
const FIRST_CONTACT: [&str; 3] = [
    "4.6153846153846153846153846153846e-01",
    "4.6153846153846153846153846153846e-01",
    "-9.2307692307692307692307692307692e-01",
];
const FIRST_ROTATION: [&str; 9] = [
    "9.9263726748123356685462307898333e-01",
    "-2.6275692374503241475563552090735e-02",
    "1.1824061568526458664003598440831e-01",
    "-1.6472184286297692538044646955109e-83",
    "9.7618706018395277400024080630430e-01",
    "2.1693045781865617200005351251207e-01",
    "-1.2112495699644217246628998646970e-01",
    "-2.1533325688256386216229330927947e-01",
    "9.6899965597153737973031989175759e-01",
];

const ON_PLANE: [State; 4] = [
    State {
        t: 0.0,
        c: FIRST_CONTACT,
        c1: [
            "0.0000000000000000000000000000000e+00",
            "0.0000000000000000000000000000000e+00",
            "0.0000000000000000000000000000000e+00",
        ],
        rotation: FIRST_ROTATION,
        omega: [
            "5.0000000000000000000000000000000e-01",
            "3.3333333333333333333333333333333e-01",
            "1.0000000000000000000000000000000e+00",
        ],
        force: [
            "-3.5133260256305325716213034941079e-01",
            "-6.3265442900861494568945463401663e-01",
            "2.0046701512926299852442054614278e+00",
        ],
        energy: "2.5364072538639715433600490477604e+00",
    },
    State {
        t: 1.0,
        c: [
            "9.3802952391494780594447126144308e-01",
            "-6.9062254424451295516867010432722e-01",
            "-7.5368637620687866867789210753049e-01",
        ],
        c1: [
            "9.8912194162383630530712293040476e-01",
            "-9.8945724371643027892513063802295e-01",
            "-4.7259965432888221837062785200909e-44",
        ],
        rotation: [
            "5.4980210891152215007848813317069e-01",
            "-6.9980019166021206298717640196005e-01",
            "4.5606724590653646168986396951638e-01",
            "7.8806392749018537505266691185702e-01",
            "6.1556892589748471527781681777907e-01",
            "-5.4903240487988443778154274862068e-03",
            "-2.7689869487808457975279908669170e-01",
            "3.6242873674937454444040732307525e-01",
            "8.8992838113696878663443911880349e-01",
        ],
        omega: [
            "2.4727343017235783669808985564722e-01",
            "1.4192462529659957819030010756486e-01",
            "9.4384670610828488761295154743628e-01",
        ],
        force: [
            "-2.3767784879847559161211695417160e-01",
            "2.9850309652568280600489733984726e-02",
            "7.7176780265692130650833852481710e-01",
        ],
        energy: "2.5364072538639715433600490477604e+00",
    },
    State {
        t: 5.0,
        c: [
            "1.4335445414466620414048540764686e+00",
            "7.8379567967796534011695477248579e-01",
            "-4.6173524609427956115687934590821e-01",
        ],
        c1: [
            "4.8652685665855526324780759612406e-01",
            "-6.3775264766285775112989549092144e+00",
            "-5.4502595757771723504765065834195e-43",
        ],
        rotation: [
            "-1.3507921372238904269842088475618e-01",
            "8.3855818278467257141417973659598e-01",
            "5.2780089058754799454913645936370e-01",
            "-8.3924862356423868603534567335114e-01",
            "1.8633064040673934819490790567231e-01",
            "-5.1082544992506509198877632896380e-01",
            "-5.2670233895975052317560545852879e-01",
            "-5.1195807106684240572215202327108e-01",
            "6.7858940428203416428472111354032e-01",
        ],
        omega: [
            "-8.3082634925543313211114912754979e-01",
            "-1.1705799740477650636262939944633e-01",
            "7.4382924486009822722114026095997e-01",
        ],
        force: [
            "-2.9361939427362478372356575303749e-02",
            "1.0918566099248808744615055497559e-01",
            "5.2238638017968191454970494858870e-01",
        ],
        energy: "2.5364072538639715433600490477604e+00",
    },
    State {
        t: 10.0,
        c: [
            "-1.8316822344875371394684717240277e+00",
            "-4.9544678089915696811465064907205e-01",
            "-2.2833829213053911086014010442811e-01",
        ],
        c1: [
            "-9.8820950173723321264446551967835e-01",
            "-9.0842957053296756501694832635462e+00",
            "-6.4174083180698294447924133067420e-43",
        ],
        rotation: [
            "-4.9922761134230934693158148217526e-01",
            "1.5398603933011817896082955657981e-01",
            "8.5267818769150851383997730170010e-01",
            "2.7393336020293650710067541697496e-01",
            "-9.0555899382974415899146796195964e-01",
            "3.2391885227937817825881625637450e-01",
            "8.2202938283335125887897751952544e-01",
            "3.9528623601826142703610268538437e-01",
            "4.0989814024112741409665170743828e-01",
        ],
        omega: [
            "1.0171852751899686469707377689144e+00",
            "5.5167449683930981478195679141767e-01",
            "3.1754484790201611468246806489162e-01",
        ],
        force: [
            "-9.4602373199375746113419390446448e-02",
            "-8.2134248432510939952026787709511e-03",
            "7.2133187969732720649465691445946e-01",
        ],
        energy: "2.5364072538639715433600490477604e+00",
    },
];

const ON_SPHERE: [State; 4] = [
    State {
        t: 0.0,
        c: FIRST_CONTACT,
        c1: [
            "0.0000000000000000000000000000000e+00",
            "0.0000000000000000000000000000000e+00",
            "3.0000000000000000000000000000000e+00",
        ],
        rotation: FIRST_ROTATION,
        omega: [
            "5.0000000000000000000000000000000e-01",
            "3.3333333333333333333333333333333e-01",
            "5.0000000000000000000000000000000e-01",
        ],
        force: [
            "-1.8972386245128287896438092626002e-01",
            "-1.9943033927909474962164834029934e-01",
            "1.2263742892472160537906138194110e+00",
        ],
        energy: "-4.2316402674885225946331898410898e+00",
    },
    State {
        t: 1.0,
        c: [
            "9.1928404577374459455256585088060e-01",
            "-2.5441600440408077896838129286694e-01",
            "-8.7175766790627126717085049355264e-01",
        ],
        c1: [
            "5.8976335281288508188847917592420e-01",
            "-6.1480789135529737421125299287793e-01",
            "2.8764892567861534243795798820237e+00",
        ],
        rotation: [
            "8.3047825378752212991627322391340e-01",
            "-3.0846758715245451806199066899881e-01",
            "4.6384654538152039731150428052899e-01",
            "4.4147712059574758073464999698183e-01",
            "8.7226718174968762044840437609998e-01",
            "-2.1035188526120979614032439563560e-01",
            "-3.3971138040477203351009397969741e-01",
            "3.7947030360596110834741867599652e-01",
            "8.6058030810882720749942214975969e-01",
        ],
        omega: [
            "4.6515977174038622861166065671111e-01",
            "1.8505339089003778428561480369995e-01",
            "4.4096238911777326864449403926854e-01",
        ],
        force: [
            "-1.0674647469842841921631743397823e-01",
            "-2.5499985302953202712765236727076e-01",
            "9.3757151404194581954362643487315e-01",
        ],
        energy: "-4.2316402674885225946331898410898e+00",
    },
    State {
        t: 5.0,
        c: [
            "-6.9677530139679136806523940006894e-01",
            "-1.0205417017585897322907026680625e+00",
            "-6.4477497741067261968554434608627e-01",
        ],
        c1: [
            "6.5775860661030366006109067354040e-01",
            "-2.4262251124198753300463874680279e+00",
            "1.6373103918601491337566271712723e+00",
        ],
        rotation: [
            "-2.2864792142708218836570075426865e-01",
            "-6.0552694739136835593164591572190e-01",
            "7.6227110925835689138415832090976e-01",
            "2.9689171072766203208271123494901e-01",
            "-7.8908530656399777626284539804417e-01",
            "-5.3777289915539988784621661981521e-01",
            "9.2713291394938465928490870534802e-01",
            "1.0335131807428808673947931538506e-01",
            "3.6019864647723238397777385169801e-01",
        ],
        omega: [
            "-1.8146856026903059003650727068032e-01",
            "2.9629095634511112865263016684064e-02",
            "5.1133753389794842218614518959274e-01",
        ],
        force: [
            "-9.0829279482710792683727838526865e-02",
            "-7.0284256290903136802695349939384e-01",
            "5.9350960823700981273133774867220e-01",
        ],
        energy: "-4.2316402674885225946331898410898e+00",
    },
    State {
        t: 10.0,
        c: [
            "1.0951095446954683322261298095214e+00",
            "9.2079994926847589769712713877323e-01",
            "-5.6864006925116015572136297513619e-01",
        ],
        c1: [
            "-1.8170856236610573042783475978111e+00",
            "-2.3564456702606075999868223782597e+00",
            "-3.8126583822097439813573634897933e-01",
        ],
        rotation: [
            "-2.5474597484643276407154187931798e-01",
            "9.3361063734479228780399096994208e-01",
            "-2.5194377574409609027731266226774e-01",
            "7.5714165257867122129627353545166e-01",
            "3.0500752927627308462223577737789e-02",
            "-6.5253829159773188050772945038220e-01",
            "-6.0153221545481616226469509740531e-01",
            "-3.5698862994148506935751932932978e-01",
            "-7.1464544486236114092227879397656e-01",
        ],
        omega: [
            "-1.6717841572832246052569811649193e-01",
            "-3.4027759800402988521589721749322e-02",
            "4.6099420253462301727958699503381e-01",
        ],
        force: [
            "-4.6392985510217964449256940002735e-01",
            "-6.9180166812286100190610574788731e-01",
            "2.2260292728976764166840331671117e-01",
        ],
        energy: "-4.2316402674885225946331898410898e+00",
    },
];

fn number(g: &mut Graph, text: &str) -> Expr {
    g.number(parse_decimal(text).expect("a decimal"))
}

/// A homogeneous ellipsoid (2, 3/2, 1) of mass 1 on a surface.
fn model(ground: &str, potential: &str, start: &State) -> Model {
    let text = format!(
        r#"
[coordinates]
B = "SE(3)"
[lagrangian]
kinetic = "norm2(B.V)/2 + (0.65*B.Omega[1]^2 + B.Omega[2]^2 + 1.25*B.Omega[3]^2)/2"
potential = "{potential}"
"#
    );
    let (mut model, _) =
        Model::parse("ellipsoid.toml", &text, &ParseOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let span = model.lagrangian_span.expect("there is a Lagrangian");
    let factor = model.configuration.factors()[0].clone();
    let g = &mut model.graph;
    let vector = |g: &mut Graph, name: &str| -> [Symbol; 3] { [1, 2, 3].map(|i| g.symbol(&format!("{name}[{i}]"))) };
    let (c, c1) = (vector(g, "c"), vector(g, "c1"));
    let [a, b, r] = [g.int(2), number(g, "1.5"), g.int(3)];
    let one = g.one();
    let ellipsoid = Surface::from(Shape::Ellipsoid { a, b, c: one });
    let body = ellipsoid.patch(g, c, [c[0], c[1]]).expect("implicit");
    let ground = match ground {
        "plane" => Surface::from(Shape::Plane),
        _ => Surface::from(Shape::Sphere { radius: r }),
    };
    let ground = ground.patch(g, c1, [c1[0], c1[1]]).expect("implicit");
    let entry = |k: usize| factor.positions[k];
    let rotation = std::array::from_fn(|i| std::array::from_fn(|j| g.var(entry(3 * i + j))));
    let contact = Contact::new(g, &body, &rotation, &ground);
    let turning = [3, 4, 5].map(|k| g.var(factor.velocities[k]));
    let rates = contact.velocity(g, &turning);
    let world = linear::mat_vec(g, &rotation, &rates);
    model.configuration.carry(g, "c", c.into_iter().zip(rates).collect());
    model.configuration.carry(g, "c1", c1.into_iter().zip(world).collect());
    let position = c.map(|s| g.var(s));
    let slide = linear::cross(g, &position, &turning);
    for i in 0..3 {
        let v = g.var(factor.velocities[i]);
        let residual = g.sub(v, slide[i]);
        model.constraints.push(Constraint::new(format!("no slip {}", i + 1), residual, span));
    }
    model.in_force = model.constraints.iter().map(|_| true).collect();
    let mut begin = |symbol: Symbol, value: Expr| model.initial.push(InitialValue { symbol, value, span });
    let at: [[Expr; 3]; 2] = [start.c, start.c1].map(|v| v.map(|x| number(g, x)));
    let turn: [[Expr; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| number(g, start.rotation[3 * i + j])));
    let arm = linear::mat_vec(g, &turn, &at[0]);
    for i in 0..3 {
        (0..3).for_each(|j| begin(entry(3 * i + j), turn[i][j]));
        let x = g.sub(at[1][i], arm[i]);
        begin(entry(9 + i), x);
        begin(c[i], at[0][i]);
        begin(c1[i], at[1][i]);
        let w = number(g, start.omega[i]);
        begin(factor.velocities[3 + i], w);
    }
    model
}

fn compare(ground: &str, potential: &str, states: &[State]) {
    let model = model(ground, potential, &states[0]);
    let (mut system, _) = System::new(&model).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(system.degrees_of_freedom(), 3);
    assert!(verify(&mut system, 2).expect("values").agrees(1e-40));
    for form in [Form::Hamel, Form::Multipliers] {
        let options = CompileOptions { form: Some(form), ..CompileOptions::default() };
        let compiled = system.compile_with(&options).unwrap_or_else(|e| panic!("{e}"));
        let run = Run::until(10.0).at(states.iter().map(|s| s.t)).sparse();
        let motion = compiled.solve(&run).expect("sound");
        println!(
            "{ground} {}: {} operations, {} steps",
            form.name(),
            compiled.program.field.work(),
            motion.report.statistics.steps
        );
        for (s, found) in states.iter().zip(&motion.samples) {
            let check = |name: String, wanted: &str| {
                let (found, wanted): (f64, f64) = (found[name.as_str()], wanted.parse().expect("a number"));
                assert!((found - wanted).abs() <= 1e-10 * wanted.abs().max(1.0), "{name} at {}: {found} {wanted}", s.t);
            };
            for i in 0..3 {
                check(format!("c[{}]", i + 1), s.c[i]);
                check(format!("c1[{}]", i + 1), s.c1[i]);
                check(format!("B.Omega[{}]", i + 1), s.omega[i]);
                (0..3).for_each(|j| check(format!("B.R[{},{}]", i + 1, j + 1), s.rotation[3 * i + j]));
                // the multipliers are the force of the ground in body axes
                let along = |j: usize| found.reaction(&format!("no slip {}", j + 1)).expect("a reaction");
                let force: f64 = (0..3).map(|j| found[format!("B.R[{},{}]", i + 1, j + 1).as_str()] * along(j)).sum();
                let wanted: f64 = s.force[i].parse().expect("a number");
                assert!((force - wanted).abs() < 1e-10, "force {} at {}: {force} {wanted}", i + 1, s.t);
            }
            check("energy".into(), s.energy);
        }
    }
}

#[test]
fn an_ellipsoid_on_a_plane() {
    compare("plane", "B.p[3]", &ON_PLANE);
}

#[test]
fn an_ellipsoid_on_a_sphere() {
    compare("sphere", "-20/norm(B.p)", &ON_SPHERE);
}
