//! What the button of a character can be called. Seen in mate-calc (`multiply`, `result`,
//! `numeric_point`), galculator, gnome-calculator and the names that macOS gives its calculator. Pure.

const NAMES: &[(&str, &[&str])] = &[
    ("0", &["zero"]),
    ("1", &["one"]),
    ("2", &["two"]),
    ("3", &["three"]),
    ("4", &["four"]),
    ("5", &["five"]),
    ("6", &["six"]),
    ("7", &["seven"]),
    ("8", &["eight"]),
    ("9", &["nine"]),
    ("+", &["add", "plus", "addition"]),
    ("-−–", &["-", "−", "subtract", "minus", "subtraction"]),
    ("*×x", &["×", "*", "multiply", "times", "multiplication"]),
    ("/÷", &["÷", "/", "divide", "division"]),
    ("=", &["equals", "result", "equal", "enter"]),
    (
        ".,",
        &[
            ".",
            ",",
            "point",
            "numeric_point",
            "decimal",
            "decimal point",
            "decimal separator",
        ],
    ),
    ("%", &["percent", "percentage"]),
    ("(", &["start_group", "open bracket", "left parenthesis"]),
    (")", &["end_group", "close bracket", "right parenthesis"]),
    ("^", &["x_pow_y", "power", "exponent"]),
    ("√", &["square_root", "square root", "root"]),
];

/// Names to try in this order: the character itself, then the table's.
#[must_use]
pub fn names(key: char) -> Vec<String> {
    let row = NAMES.iter().find(|(keys, _)| keys.contains(key));
    let own = std::iter::once(key.to_string());
    let more = row.iter().flat_map(|(_, names)| names.iter());
    let mut names: Vec<String> = own.collect();
    for name in more.map(|name| (*name).to_owned()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_its_character_first() {
        assert_eq!(names('='), ["=", "equals", "result", "equal", "enter"]);
        assert_eq!(names('×')[..3], ["×", "*", "multiply"]);
        assert_eq!(names('7'), ["7", "seven"]);
        assert_eq!(names('q'), ["q"]);
    }
}
