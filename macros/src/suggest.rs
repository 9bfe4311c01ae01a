//! Guesses what was meant by a misspelt name, and lists names for messages.

/// `a`, `b` and `c`.
pub(crate) fn list(names: &[&str], mark: &str, last: &str) -> String {
    let marked: Vec<String> = names
        .iter()
        .map(|name| format!("{mark}{name}{mark}"))
        .collect();
    match marked.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}

/// The name that comes nearest to `given`, if one is near.
pub(crate) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let folded = fold(given);
    known
        .iter()
        .map(|name| (distance(&folded, &fold(name)), *name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn fold(name: &str) -> Vec<char> {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Edits between two words, a swap of neighbours counting as one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(x != y))
                .min(rows[i][j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_their_meaning() {
        let known = ["ttl", "timeout", "poll_interval", "concurrency"];
        assert_eq!(nearest("tll", &known), Some("ttl"));
        assert_eq!(nearest("pollInterval", &known), Some("poll_interval"));
        assert_eq!(nearest("concurency", &known), Some("concurrency"));
        assert_eq!(nearest("colour", &known), None);
    }

    #[test]
    fn lists_read_like_a_sentence() {
        assert_eq!(list(&["a"], "`", "or"), "`a`");
        assert_eq!(list(&["a", "b", "c"], "`", "or"), "`a`, `b` or `c`");
    }
}
