//! No sentence of the specification's files is in this repository: facts carry over, words do not.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{official, root};
use mcp_codegen::keywords;
use serde_json::Value;

/// A sentence of fewer words can be anybody's.
const WORDS: usize = 7;

/// Directories that hold nothing of ours.
const SKIPPED: [&str; 4] = [".git", "target", "node_modules", ".ci"];

#[test]
fn no_sentence_of_the_official_files_is_in_the_repository() {
    let Some(spec) = official() else { return };
    let mut sentences: BTreeMap<String, String> = BTreeMap::new();
    for name in ["2025-11-25", "2026-07-28", "ext-tasks"] {
        let path = spec.join(name).join("schema.json");
        let schema: Value =
            serde_json::from_str(&fs::read_to_string(&path).expect("readable")).expect("JSON");
        keywords::walk(&schema, &mut |pointer, inner| {
            for keyword in ["description", "title", "$comment"] {
                if let Some(text) = inner.get(keyword).and_then(Value::as_str) {
                    for sentence in split(text) {
                        sentences
                            .entry(sentence)
                            .or_insert_with(|| format!("{name}{pointer}"));
                    }
                }
            }
        });
    }
    assert!(
        sentences.len() > 300,
        "the files hold sentences: {}",
        sentences.len()
    );

    let mut files = Vec::new();
    texts(&root(), &mut files);
    assert!(
        files.len() > 50,
        "the repository holds files: {}",
        files.len()
    );
    let mut found = Vec::new();
    for file in files {
        // What is not text holds no sentence.
        let Ok(text) = fs::read_to_string(&file) else {
            continue;
        };
        let text = format!(" {} ", words(&uncommented(&text)).join(" "));
        for (sentence, place) in &sentences {
            if text.contains(&format!(" {sentence} ")) {
                found.push(format!("{}: \"{sentence}\" ({place})", file.display()));
            }
        }
    }
    assert!(
        found.is_empty(),
        "say it in our own words:\n{}",
        found.join("\n")
    );
}

/// The sentences of a description that are long enough, as plain words.
fn split(text: &str) -> Vec<String> {
    text.replace(". ", ".\n")
        .replace("\n\n", "\n")
        .split(".\n")
        .flat_map(|part| part.split("\n- "))
        .map(words)
        .filter(|words| words.len() >= WORDS)
        .map(|words| words.join(" "))
        .collect()
}

/// Lower-cased words without punctuation, so that line breaks and quotes make no difference.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Text whose comment marks do not stand between words; they are punctuation and go with it.
fn uncommented(text: &str) -> String {
    text.replace("\\n", " ")
}

fn texts(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("listed") {
        let entry = entry.expect("listed");
        let name = entry.file_name();
        let kind = entry.file_type().expect("known");
        if kind.is_dir() && !SKIPPED.iter().any(|skipped| name == *skipped) {
            texts(&entry.path(), files);
        } else if kind.is_file() && name != "Cargo.lock" {
            files.push(entry.path());
        }
    }
}

#[test]
fn sentences_are_compared_by_their_words() {
    let text = "The name of the tool, as it is shown. Short one.\n\nAn `optional` list of\nthings that a client can use.";
    assert_eq!(
        split(text),
        [
            "the name of the tool as it is shown",
            "an optional list of things that a client can use"
        ]
    );
}
