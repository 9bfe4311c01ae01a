//! What the protocol demands of tasks and a schema cannot say: what a handle must not carry, what each
//! status must carry, and how time is written.

use serde_json::{Map, Value};

use super::Fault;

type Object = Map<String, Value>;

/// What a task object is used as; it decides what it has to carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// The answer to a call: the task's data and nothing of its outcome.
    Handle,
    /// A task with what its status brings along (modern era).
    Detailed,
    /// The task's data alone (legacy era, or the base type).
    Bare,
}

/// Adds the rules that `message`, valid for `definition`, breaks.
pub(super) fn check(definition: &str, message: &Value, faults: &mut Vec<Fault>) {
    let Some(object) = message.as_object() else {
        return;
    };
    result(definition, object, "", faults);
    // JSON-RPC envelopes: the task is in the result or in the notification's params.
    if object.contains_key("jsonrpc") {
        if let Some(inner) = object.get("result").and_then(Value::as_object) {
            result("", inner, "/result", faults);
        }
        if object.get("method").and_then(Value::as_str) == Some("notifications/tasks")
            && let Some(inner) = object.get("params").and_then(Value::as_object)
        {
            result("TaskStatusNotificationParams", inner, "/params", faults);
        }
    }
}

fn result(definition: &str, object: &Object, at: &str, faults: &mut Vec<Fault>) {
    let tag = object.get("resultType").and_then(Value::as_str);
    if tag == Some("input_required")
        && !object.contains_key("inputRequests")
        && !object.contains_key("requestState")
    {
        let message = "an input_required result needs `inputRequests` or `requestState`";
        faults.push(fault(at, message));
    }
    // Legacy: `{task}` is a handle, `{tasks}` a list.
    if let Some(task) = object.get("task").and_then(Value::as_object)
        && is_task(task)
    {
        for member in ["result", "error", "inputRequests", "content"] {
            if object.contains_key(member) {
                let text =
                    format!("a task handle carries no `{member}`; it comes from tasks/result");
                faults.push(fault(&format!("{at}/{member}"), &text));
            }
        }
        self::task(task, Use::Bare, &format!("{at}/task"), faults);
    }
    for (index, task) in object
        .get("tasks")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        if let Some(task) = task.as_object().filter(|task| is_task(task)) {
            self::task(task, Use::Bare, &format!("{at}/tasks/{index}"), faults);
        }
    }
    if is_task(object) {
        task(object, used_as(definition, object), at, faults);
    } else if matches!(definition, "CancelTaskResult" | "UpdateTaskResult")
        && tag == Some("complete")
    {
        for member in ["taskId", "status", "result", "error", "inputRequests"] {
            if object.contains_key(member) {
                let text = format!("an acknowledgement carries no `{member}`; ask with tasks/get");
                faults.push(fault(&format!("{at}/{member}"), &text));
            }
        }
    }
}

fn is_task(object: &Object) -> bool {
    object.get("taskId").is_some_and(Value::is_string)
        && object.get("status").is_some_and(Value::is_string)
}

fn used_as(definition: &str, object: &Object) -> Use {
    let modern = object.contains_key("ttlMs");
    match object.get("resultType").and_then(Value::as_str) {
        Some("task") => Use::Handle,
        _ if !modern || definition == "Task" => Use::Bare,
        _ => Use::Detailed,
    }
}

fn task(task: &Object, used_as: Use, at: &str, faults: &mut Vec<Fault>) {
    let status = task
        .get("status")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let here = |member: &str| format!("{at}/{member}");
    for (member, belongs_to) in [
        ("result", "completed"),
        ("error", "failed"),
        ("inputRequests", "input_required"),
    ] {
        let present = task.contains_key(member);
        match used_as {
            Use::Handle if present => {
                let text = format!("a task handle carries no `{member}`; it comes from tasks/get");
                faults.push(fault(&here(member), &text));
            }
            Use::Bare if present && member != "inputRequests" => {
                let text = format!("a task's data carries no `{member}`");
                faults.push(fault(&here(member), &text));
            }
            Use::Detailed if present && status != belongs_to => {
                let text =
                    format!("`{member}` belongs to the status {belongs_to}, not to {status}");
                faults.push(fault(&here(member), &text));
            }
            Use::Detailed if !present && status == belongs_to => {
                let text = format!("the status {status} needs `{member}`");
                faults.push(fault(at, &text));
            }
            _ => {}
        }
    }
    if task
        .get("inputRequests")
        .and_then(Value::as_object)
        .is_some_and(Map::is_empty)
    {
        let text = "needs at least one request, since the task waits for input";
        faults.push(fault(&here("inputRequests"), text));
    }
    for member in ["ttl", "ttlMs", "pollInterval", "pollIntervalMs"] {
        if task
            .get(member)
            .and_then(Value::as_f64)
            .is_some_and(|value| value < 0.0)
        {
            faults.push(fault(&here(member), "milliseconds cannot be negative"));
        }
    }
    let mut times = Vec::new();
    for member in ["createdAt", "lastUpdatedAt"] {
        if let Some(text) = task.get(member).and_then(Value::as_str) {
            match moment(text) {
                Some(moment) => times.push(moment),
                None => faults.push(fault(
                    &here(member),
                    "is not an RFC 3339 time such as 2026-07-28T12:00:00Z",
                )),
            }
        }
    }
    if let [created, updated] = times[..]
        && updated < created
    {
        faults.push(fault(&here("lastUpdatedAt"), "is before `createdAt`"));
    }
}

fn fault(pointer: &str, message: &str) -> Fault {
    Fault {
        pointer: pointer.to_owned(),
        message: message.to_owned(),
    }
}

/// An RFC 3339 time as nanoseconds since 1970, or `None` if it is not one.
fn moment(text: &str) -> Option<i128> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits
            .bytes()
            .all(|it| it.is_ascii_digit())
            .then(|| digits.parse().ok())?
    };
    let is = |at: usize, any: &[u8]| bytes.get(at).is_some_and(|byte| any.contains(byte));
    if !(is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":")) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    // A leap second is written as 60.
    if !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut at = 19;
    let mut nanos = 0;
    if is(at, b".") {
        let end = at
            + 1
            + bytes[at + 1..]
                .iter()
                .take_while(|it| it.is_ascii_digit())
                .count();
        let digits = text.get(at + 1..end).filter(|digits| !digits.is_empty())?;
        nanos = format!("{digits:0<9}").get(..9)?.parse().ok()?;
        at = end;
    }
    let offset = match bytes.get(at)? {
        b'Z' | b'z' if bytes.len() == at + 1 => 0,
        sign @ (b'+' | b'-') if bytes.len() == at + 6 && is(at + 3, b":") => {
            let (hours, minutes) = (number(at + 1, at + 3)?, number(at + 4, at + 6)?);
            if hours > 23 || minutes > 59 {
                return None;
            }
            (hours * 3600 + minutes * 60) * if *sign == b'-' { -1 } else { 1 }
        }
        _ => return None,
    };
    // Days since 1970, by counting years from March so that the leap day is the last.
    let (y, m) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let days =
        365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + (153 * m + 2) / 5 + day
            - 1
            - 719_468;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn faults(definition: &str, message: Value) -> Vec<String> {
        let mut faults = Vec::new();
        check(definition, &message, &mut faults);
        faults
            .into_iter()
            .map(|it| format!("{}: {}", it.pointer, it.message))
            .collect()
    }

    fn task(status: &str, more: Value) -> Value {
        let mut task = json!({
            "taskId": "t", "status": status, "ttlMs": null,
            "createdAt": "2026-07-28T12:00:00Z", "lastUpdatedAt": "2026-07-28T12:00:00.5Z",
        });
        if let (Value::Object(task), Value::Object(more)) = (&mut task, more) {
            task.extend(more);
        }
        task
    }

    #[test]
    fn a_handle_carries_nothing_of_the_outcome() {
        let handle = json!({"resultType": "task"});
        assert!(faults("CreateTaskResult", task("working", handle)).is_empty());
        for member in ["result", "error", "inputRequests"] {
            let found = faults(
                "CreateTaskResult",
                task("working", json!({"resultType": "task", member: {"a": 1}})),
            );
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(
                found[0].starts_with(&format!("/{member}: a task handle")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_status_has_its_payload_and_no_other() {
        for (status, member) in [
            ("completed", "result"),
            ("failed", "error"),
            ("input_required", "inputRequests"),
        ] {
            let found = faults("GetTaskResult", task(status, json!({})));
            assert_eq!(found, [format!(": the status {status} needs `{member}`")]);
            assert!(faults("GetTaskResult", task(status, json!({member: {"a": 1}}))).is_empty());
            let found = faults("GetTaskResult", task("working", json!({member: {"a": 1}})));
            assert_eq!(found.len(), 1, "{found:?}");
        }
        assert!(faults("Task", task("completed", json!({}))).is_empty());
    }

    #[test]
    fn waiting_for_input_means_at_least_one_request() {
        let found = faults(
            "DetailedTask",
            task("input_required", json!({"inputRequests": {}})),
        );
        assert!(
            found[0].starts_with("/inputRequests: needs at least one"),
            "{found:?}"
        );
        let found = faults(
            "InputRequiredResult",
            json!({"resultType": "input_required"}),
        );
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn tasks_in_envelopes_are_looked_at() {
        let envelope = json!({"jsonrpc": "2.0", "id": 1, "result": task("failed", json!({}))});
        assert_eq!(
            faults("JSONRPCResponse", envelope),
            ["/result: the status failed needs `error`"]
        );
        let notification = json!({
            "jsonrpc": "2.0", "method": "notifications/tasks", "params": task("completed", json!({})),
        });
        assert_eq!(faults("JSONRPCNotification", notification).len(), 1);
        let legacy =
            json!({"task": {"taskId": "t", "status": "working", "ttl": -1}, "content": []});
        assert_eq!(faults("CreateTaskResult", legacy).len(), 2);
    }

    #[test]
    fn an_acknowledgement_carries_no_task() {
        let found = faults(
            "UpdateTaskResult",
            json!({"resultType": "complete", "taskId": "t"}),
        );
        assert!(
            found[0].starts_with("/taskId: an acknowledgement"),
            "{found:?}"
        );
    }

    #[test]
    fn times_are_read_and_compared() {
        assert_eq!(moment("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(
            moment("2000-03-01T00:00:00+01:00"),
            Some(951_865_200_000_000_000)
        );
        assert_eq!(
            moment("2024-02-29T12:00:00.25z"),
            Some(1_709_208_000_250_000_000)
        );
        for bad in [
            "",
            "now",
            "2023-02-29T00:00:00Z",
            "2026-07-28",
            "2026-07-28T25:00:00Z",
            "2026-07-28T12:00:00",
            "2026-07-28T12:00:00.Z",
            "2026-07-28T12:00:00Zé",
        ] {
            assert_eq!(moment(bad), None, "{bad}");
        }
        let found = faults(
            "GetTaskResult",
            task(
                "working",
                json!({"lastUpdatedAt": "2026-07-28T12:30:00+01:00"}),
            ),
        );
        assert_eq!(found, ["/lastUpdatedAt: is before `createdAt`"]);
    }
}
