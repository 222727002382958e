//! Parsing of lines.
use std::collections::HashMap;

/// The most lines that are read.
pub const MAX_LINES: usize = 10_000;

/// A line with its number.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    pub number: usize,
    text: &'a str,
}

pub trait Visit {
    fn visit(&mut self, line: &Line<'_>) -> Result<(), Error>;
}

impl<'a> Line<'a> {
    /// Splits at the first colon.
    pub fn split(&self) -> Option<(&'a str, &'a str)> {
        self.text.split_once(':').map(|(key, value)| (key.trim(), value.trim()))
    }

    fn is_blank(&self) -> bool { self.text.trim().is_empty() || self.text.starts_with('#') }
}

pub(crate) fn parse(source: &str) -> HashMap<String, String> {
    source.lines().filter_map(|line| line.split_once('=')).map(|(k, v)| (k.into(), v.into())).collect()
}

macro_rules! warn_once {
    ($message:expr) => { if WARNED.swap(true, Ordering::Relaxed) { eprintln!("{}", $message) } };
}

mod tests {
    #[test]
    fn splits() { assert_eq!(Line { number: 1, text: "a: b" }.split(), Some(("a", "b"))); }
}
