//! Which test covers which requirement.
//!
//! Requirements are the ids in the tables of `tests/requirements/*.md`. A test names the ids it covers in a comment
//! above it: `/// covers: T05-M, M-CAN-2`. A row with a legacy and a modern column has two ids (`T05-L`, `T05-M`). Ids that no test names yet are listed in `tests/requirements/uncovered.txt`, which may only shrink.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// Folders of the workspace that hold tests.
const SOURCES: [&str; 5] = ["codegen", "generated", "macros", "runtime", "tests"];

/// A test, by the place where it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestRef {
    /// File, below the workspace root.
    pub file: PathBuf,
    /// Name of the function.
    pub name: String,
}

impl fmt::Display for TestRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.file.display(), self.name)
    }
}

/// What the tables ask for, what the tests say, and where the two disagree.
#[derive(Debug, Default)]
pub struct Report {
    /// Every requirement's id with the tests that name it.
    pub covered_by: BTreeMap<String, Vec<TestRef>>,
    /// Disagreements, each a sentence that says what to do. Empty when all is well.
    pub problems: Vec<String>,
}

impl Report {
    /// Reads the requirements and all tests below the workspace root.
    pub fn read(root: &Path) -> io::Result<Self> {
        let folder = root.join("tests/requirements");
        let mut ids = BTreeSet::new();
        for table in ["tasks.md", "faults.md"] {
            ids.extend(requirement_ids(&fs::read_to_string(folder.join(table))?));
        }
        let allowed = id_list(&fs::read_to_string(folder.join("uncovered.txt"))?);
        let mut files = Vec::new();
        for source in SOURCES {
            rust_files(&root.join(source), &mut files)?;
        }
        files.sort();
        let mut claims = Vec::new();
        let mut problems = Vec::new();
        for file in files {
            let below = file.strip_prefix(root).unwrap_or(&file).to_owned();
            scan(
                &below,
                &fs::read_to_string(&file)?,
                &mut claims,
                &mut problems,
            );
        }
        Ok(Self::compare(&ids, &claims, &allowed, problems))
    }

    fn compare(
        ids: &BTreeSet<String>,
        claims: &[(String, TestRef)],
        allowed: &BTreeSet<String>,
        mut problems: Vec<String>,
    ) -> Self {
        let mut covered_by: BTreeMap<String, Vec<TestRef>> =
            ids.iter().map(|id| (id.clone(), Vec::new())).collect();
        for (claim, test) in claims {
            // A row that only one era has needs no suffix.
            let sides: Vec<_> = ["", "-L", "-M"]
                .map(|era| format!("{claim}{era}"))
                .into_iter()
                .filter(|id| ids.contains(id))
                .collect();
            match sides.as_slice() {
                [id] => covered_by.entry(id.clone()).or_default().push(test.clone()),
                [] => problems.push(format!(
                    "{test} covers {claim}, which is no requirement: correct the id"
                )),
                sides => problems.push(format!(
                    "{test} covers {claim}, which has two sides: say {}",
                    sides.join(" or ")
                )),
            }
        }
        for id in allowed {
            match covered_by.get(id).map(Vec::as_slice) {
                None => problems.push(format!("uncovered.txt lists {id}, which is no requirement")),
                Some([]) => {}
                Some([test, ..]) => {
                    problems.push(format!(
                        "{id} is covered by {test}: take it out of uncovered.txt"
                    ));
                }
            }
        }
        for (id, tests) in &covered_by {
            if tests.is_empty() && !allowed.contains(id) {
                problems.push(format!("no test covers {id}: write one that says so"));
            }
        }
        Self {
            covered_by,
            problems,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, tests) in &self.covered_by {
            match tests.split_first() {
                None => writeln!(f, "{id:<12} -")?,
                Some((first, rest)) => {
                    writeln!(f, "{id:<12} {first}")?;
                    for test in rest {
                        writeln!(f, "{:<12} {test}", "")?;
                    }
                }
            }
        }
        let covered = self
            .covered_by
            .values()
            .filter(|tests| !tests.is_empty())
            .count();
        writeln!(
            f,
            "\n{covered} of {} requirements have a test",
            self.covered_by.len()
        )?;
        for problem in &self.problems {
            writeln!(f, "problem: {problem}")?;
        }
        Ok(())
    }
}

/// The ids of all rows of all tables.
fn requirement_ids(markdown: &str) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    let mut eras = false;
    for line in markdown.lines() {
        let Some(row) = line
            .trim()
            .strip_prefix('|')
            .and_then(|row| row.strip_suffix('|'))
        else {
            continue;
        };
        let cells: Vec<_> = row.split(" | ").map(str::trim).collect();
        match cells.as_slice() {
            ["id", rest @ ..] => eras = rest == ["legacy", "modern"],
            [id, ..] if id.starts_with("---") => {}
            [id, legacy, modern] if eras => {
                for (cell, era) in [(legacy, "L"), (modern, "M")] {
                    if *cell != "-" {
                        ids.insert(format!("{id}-{era}"));
                    }
                }
            }
            [id, ..] => {
                ids.insert((*id).to_owned());
            }
            [] => {}
        }
    }
    ids
}

/// One id a line; `#` starts a comment.
fn id_list(text: &str) -> BTreeSet<String> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Collects `covers:` comments, each with the test function that follows it.
fn scan(
    file: &Path,
    source: &str,
    claims: &mut Vec<(String, TestRef)>,
    problems: &mut Vec<String>,
) {
    let lines: Vec<_> = source.lines().map(str::trim).collect();
    for (at, line) in lines.iter().enumerate() {
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//"));
        let Some(list) = comment.and_then(|text| text.trim().strip_prefix("covers:")) else {
            continue;
        };
        let Some(name) = test_below(&lines[at + 1..]) else {
            problems.push(format!(
                "{}:{}: `covers:` stands above no test function: move it",
                file.display(),
                at + 1
            ));
            continue;
        };
        for id in list.split(',').map(str::trim).filter(|id| !id.is_empty()) {
            let test = TestRef {
                file: file.to_owned(),
                name: name.clone(),
            };
            claims.push((id.to_owned(), test));
        }
    }
}

/// The name of the test that the given lines begin with, after comments and attributes.
fn test_below(lines: &[&str]) -> Option<String> {
    let mut is_test = false;
    for line in lines {
        if line.starts_with("#[") {
            is_test |= line.contains("test");
        } else if !line.starts_with("//") {
            let function = line
                .trim_start_matches("pub ")
                .trim_start_matches("async ")
                .strip_prefix("fn ")?;
            let name = function.split(['(', '<']).next()?.trim();
            return is_test.then(|| name.to_owned());
        }
    }
    None
}

/// Every `.rs` file below a folder, build output left out.
fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("node_modules") {
                rust_files(&path, found)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "| id | legacy | modern |\n| --- | --- | --- |\n| T01 | yes | same |\n| T21 | - | only here |\n\n\
                          | id | level | rule |\n| --- | --- | --- |\n| M-LIFE-1 | M | a |\n";

    fn ids(text: &str) -> BTreeSet<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn scanned(source: &str) -> (Vec<(String, String)>, Vec<String>) {
        let (mut claims, mut problems) = (Vec::new(), Vec::new());
        scan(Path::new("a.rs"), source, &mut claims, &mut problems);
        (
            claims
                .into_iter()
                .map(|(id, test)| (id, test.name))
                .collect(),
            problems,
        )
    }

    #[test]
    fn a_row_with_two_eras_has_two_ids_unless_one_is_a_dash() {
        assert_eq!(requirement_ids(TABLES), ids("T01-L T01-M T21-M M-LIFE-1"));
    }

    #[test]
    fn a_claim_belongs_to_the_test_below_it() {
        let comment = "// covers: A-1, B-2\n";
        let (claims, problems) = scanned(&format!(
            "{comment}/// more\n#[tokio::test]\nasync fn it_works() {{\n"
        ));
        assert_eq!(problems, Vec::<String>::new());
        let expected = [("A-1", "it_works"), ("B-2", "it_works")];
        assert_eq!(
            claims,
            expected.map(|(id, name)| (id.to_owned(), name.to_owned()))
        );
    }

    #[test]
    fn a_claim_above_something_else_is_a_problem() {
        let comment = "// covers: A-1\n";
        let (claims, problems) = scanned(&format!("{comment}fn helper() {{\n"));
        assert_eq!(claims, []);
        assert_eq!(
            problems,
            ["a.rs:1: `covers:` stands above no test function: move it"]
        );
    }

    #[test]
    fn the_list_of_uncovered_ids_may_only_shrink() {
        let test = TestRef {
            file: "a.rs".into(),
            name: "t".to_owned(),
        };
        let claims = ["T01-L", "T21", "T01", "X-9"].map(|id| (id.to_owned(), test.clone()));
        let report = Report::compare(
            &requirement_ids(TABLES),
            &claims,
            &ids("T01-L T21-M NO-1"),
            Vec::new(),
        );
        assert_eq!(
            report.problems,
            [
                "a.rs::t covers T01, which has two sides: say T01-L or T01-M",
                "a.rs::t covers X-9, which is no requirement: correct the id",
                "uncovered.txt lists NO-1, which is no requirement",
                "T01-L is covered by a.rs::t: take it out of uncovered.txt",
                "T21-M is covered by a.rs::t: take it out of uncovered.txt",
                "no test covers M-LIFE-1: write one that says so",
                "no test covers T01-M: write one that says so",
            ]
        );
    }
}
