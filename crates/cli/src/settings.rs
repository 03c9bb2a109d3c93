//! The flags of a run, made from the table of settings.

use crate::Refusal;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use polhode::model::run::Takes;
use polhode::model::{RunSettings, Setting};
use std::marker::PhantomData;

/// Which settings a command takes.
pub(crate) trait Which {
    fn takes(setting: Setting) -> bool;
}

/// Those that decide the motion.
#[derive(Debug)]
pub(crate) struct Motion;

impl Which for Motion {
    fn takes(setting: Setting) -> bool {
        !Reported::takes(setting)
    }
}

/// Those that say when it is reported.
#[derive(Debug)]
pub(crate) struct Reported;

impl Which for Reported {
    fn takes(setting: Setting) -> bool {
        matches!(setting, Setting::At | Setting::Samples)
    }
}

/// What was typed for them.
#[derive(Debug)]
pub(crate) struct Flags<W> {
    given: Vec<(Setting, Vec<String>)>,
    which: PhantomData<W>,
}

impl<W: Which> Flags<W> {
    /// Reads them.
    pub(crate) fn settings(&self) -> Result<RunSettings, Refusal> {
        let mut settings = RunSettings::default();
        self.put_into(&mut settings)?;
        Ok(settings)
    }

    /// Reads them among others.
    pub(crate) fn put_into(&self, settings: &mut RunSettings) -> Result<(), Refusal> {
        self.given.iter().try_for_each(|(setting, words)| settings.put(*setting, words)).map_err(Refusal::from)
    }

    /// Whether one was typed.
    pub(crate) fn has(&self, setting: Setting) -> bool {
        self.given.iter().any(|(given, _)| *given == setting)
    }

    fn mine() -> impl Iterator<Item = Setting> {
        Setting::ALL.into_iter().filter(|s| W::takes(*s))
    }
}

impl<W: Which> Args for Flags<W> {
    fn augment_args(command: Command) -> Command {
        Flags::<W>::mine().fold(command, |command, setting| command.arg(arg(setting)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::<W>::augment_args(command)
    }
}

fn arg(setting: Setting) -> Arg {
    let arg = Arg::new(setting.name())
        .long(setting.flag().trim_start_matches('-'))
        .value_name(setting.placeholder())
        .help(setting.about());
    match setting.takes() {
        Takes::Formula => arg.allow_hyphen_values(true),
        Takes::Formulas => arg.allow_hyphen_values(true).value_delimiter(',').action(ArgAction::Append),
        Takes::Number => arg.allow_negative_numbers(true),
        Takes::Count | Takes::Word => arg,
        Takes::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        Takes::Texts => arg.action(ArgAction::Append),
    }
}

impl<W: Which> FromArgMatches for Flags<W> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags<W>, Error> {
        let words = |s: Setting| Some((s, matches.get_many::<String>(s.name())?.cloned().collect()));
        Ok(Flags { given: Flags::<W>::mine().filter_map(words).collect(), which: PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}
