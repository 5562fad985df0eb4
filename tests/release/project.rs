//! release/project.toml says what the project is called and where it lives; every other file that
//! says it too says the same.

use serde_json::Value;

use super::{repository, text, toml};

/// A value of release/project.toml: `homebrew.tap`.
fn project(path: &str) -> toml::Value {
    let all = toml("release/project.toml");
    let value = path.split('.').try_fold(&all, |at, key| at.get(key));
    value
        .unwrap_or_else(|| panic!("release/project.toml has no {path}"))
        .clone()
}

fn word(path: &str) -> String {
    project(path).as_str().unwrap().to_owned()
}

#[test]
fn places_are_the_owners() {
    let (owner, name) = (word("owner"), word("name"));
    assert_eq!(
        word("repository"),
        format!("https://github.com/{owner}/{name}")
    );
    assert_eq!(word("homebrew.tap"), format!("{owner}/homebrew-tap"));
}

#[test]
fn the_crate_says_the_same() {
    let package = toml("Cargo.toml")["package"].clone();
    for key in ["name", "description", "license", "repository", "homepage"] {
        assert_eq!(
            package[key].as_str(),
            Some(&*word(key)),
            "{key} in Cargo.toml"
        );
    }
}

#[test]
fn dist_says_the_same() {
    let dist = toml("dist-workspace.toml")["dist"].clone();
    assert_eq!(dist["tap"].as_str(), Some(&*word("homebrew.tap")));
}

#[test]
fn pages_link_to_it_and_to_nowhere_else() {
    let repository = word("repository");
    for page in [
        "README.md",
        "RELEASING.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
    ] {
        let text = text(page);
        let ours = format!("/{}", word("name"));
        let links = text.match_indices("https://github.com/").map(|(at, _)| {
            let end = text[at..].find(|c: char| " )>`\"\n".contains(c));
            &text[at..at + end.unwrap_or(text.len() - at)]
        });
        for link in links.filter(|link| link.contains(&ours)) {
            assert!(link.starts_with(&repository), "{page}: {link}");
        }
    }
    let readme = text("README.md");
    for line in [
        format!(
            "{repository}/releases/latest/download/{}-installer.sh",
            word("name")
        ),
        format!(
            "{repository}/releases/latest/download/{}-installer.ps1",
            word("name")
        ),
        format!("npm install -g {}", word("npm.package")),
        format!(
            "brew install {}/tap/{}",
            word("owner"),
            word("homebrew.formula")
        ),
    ] {
        assert!(readme.contains(&line), "README.md lacks {line}");
    }
}

#[test]
fn the_settings_page_says_the_same() {
    let page = text("REPO_SETTINGS.md");
    let row = |setting: &str| {
        let row = page
            .lines()
            .find(|line| line.starts_with(&format!("| {setting} |")));
        let row = row.unwrap_or_else(|| panic!("REPO_SETTINGS.md has no {setting}"));
        row.split('|')
            .nth(2)
            .unwrap()
            .trim()
            .trim_matches('`')
            .to_owned()
    };
    assert_eq!(row("description"), word("description"));
    assert_eq!(row("homepage"), word("homepage"));
    let topics = project("topics");
    let topics: Vec<_> = topics
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|t| t.as_str())
        .collect();
    assert_eq!(row("topics"), topics.join(" "));
    let fits = |topic: &&str| {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        topic.len() <= 50 && topic.chars().all(plain)
    };
    assert!(
        topics.len() <= 20 && topics.iter().all(fits),
        "GitHub takes no such topics: {topics:?}"
    );
}

/// The npm packages and the plugin, as far as they are there.
#[test]
fn packages_say_the_same() {
    for path in ["npm/package.json", "plugin/.claude-plugin/plugin.json"] {
        if !repository(path).exists() {
            continue;
        }
        let package: Value = serde_json::from_str(&text(path)).unwrap();
        assert_eq!(package["name"], word("name"), "name in {path}");
        assert_eq!(package["license"], word("license"), "license in {path}");
        let place = package["repository"].to_string();
        assert!(
            place.contains(&word("repository")),
            "repository in {path}: {place}"
        );
    }
}
