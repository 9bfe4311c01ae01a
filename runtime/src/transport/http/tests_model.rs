//! Random lives of tasks, in both eras at once, against a small model of what must be true.
//!
//! Time is paused and moves only when nothing else can, so that every run of a seed is the same. A disagreement is
//! reported with its seed and step.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use axum::body::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle, time::Instant};

use crate::{Server, State, TaskContext, ToolError, task_tool, transport::kit::*};

/// Steps of one run. `MCP_MODEL_STEPS` asks for more.
const STEPS: usize = 2_000;
const SEEDS: u64 = 5;
/// Time to live where nobody names one.
const TTL: Duration = Duration::from_secs(90);

/// What a running call is told to do next.
enum Order {
    Ask,
    Finish,
    Report,
    Fail,
    Panic,
}

/// Where calls get their orders.
#[derive(Clone, Default)]
struct Director(Arc<Mutex<HashMap<u64, mpsc::UnboundedReceiver<Order>>>>);

/// Does what it is told.
#[task_tool(ttl = "90s")]
async fn directed(
    State(director): State<Director>,
    ctx: TaskContext,
    label: u64,
) -> Result<String, ToolError> {
    let mut orders = director
        .0
        .lock()
        .remove(&label)
        .expect("each label is used once");
    loop {
        match orders.recv().await {
            Some(Order::Ask) => {
                let _: NameForm = ctx.elicit("What now?").named("q").await?.required()?;
            }
            Some(Order::Finish) => return Ok(format!("done {label}")),
            Some(Order::Report) => return Err(ToolError::new("it went wrong")),
            Some(Order::Fail) => return Err(ToolError::protocol(-30_000, "it broke")),
            Some(Order::Panic) => panic!("told to"),
            None => std::future::pending().await,
        }
    }
}

/// What the model knows of a task.
struct Life {
    id: Value,
    label: u64,
    orders: mpsc::UnboundedSender<Order>,
    expires: Instant,
    phase: Phase,
    /// Whether the client that made it declared that it can be asked.
    can_ask: bool,
    /// Keys that were used for questions.
    keys: BTreeSet<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Working,
    Asking,
    Done,
    Reported,
    Failed,
    Cancelled,
}

impl Phase {
    fn is_terminal(self) -> bool {
        !matches!(self, Self::Working | Self::Asking)
    }

    fn modern(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Asking => "input_required",
            Self::Done | Self::Reported => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    fn legacy(self) -> &'static str {
        match self {
            Self::Reported => "failed",
            other => other.modern(),
        }
    }
}

/// Small, fast, and the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

struct World {
    server: Server,
    session: String,
    director: Director,
    random: Random,
    lives: Vec<Life>,
    /// Open `tasks/result` requests, by task.
    waiters: Vec<(Value, JoinHandle<Value>)>,
    next_label: u64,
    next_id: u64,
}

impl World {
    async fn new(seed: u64) -> Self {
        let director = Director::default();
        let server = Server::builder()
            .tool(directed)
            .state(director.clone())
            .build()
            .unwrap();
        let mut world = Self {
            server,
            session: String::new(),
            director,
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            lives: Vec::new(),
            waiters: Vec::new(),
            next_label: 0,
            next_id: 0,
        };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let request = by("alice", post().body(Body::from(hello.to_string())).unwrap());
        let response = send(&world.server, request).await;
        world.session = response.headers()["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        world
    }

    /// Lets everything happen that can.
    async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    async fn modern(&mut self, method: &str, params: Value) -> Value {
        self.next_id += 1;
        let message = modern(self.next_id, method, params, all());
        let request = by(
            "alice",
            modern_post(&message)
                .body(Body::from(message.to_string()))
                .unwrap(),
        );
        read(send(&self.server, request).await)
            .await
            .1
            .pop()
            .unwrap()
    }

    fn legacy(&mut self, method: &str, params: Value) -> impl Future<Output = Value> + use<> {
        self.next_id += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        let request = post()
            .header("mcp-session-id", &self.session)
            .body(Body::from(message.to_string()))
            .unwrap();
        let server = self.server.clone();
        async move {
            read(send(&server, by("alice", request)).await)
                .await
                .1
                .pop()
                .unwrap_or_default()
        }
    }

    /// Gets clear of the last moments of tasks, since the clocks round to milliseconds, and buries those that are over.
    async fn calm(&mut self) {
        const CLOSE: Duration = Duration::from_millis(4);
        loop {
            let now = Instant::now();
            let close = |life: &Life| now + CLOSE > life.expires && now < life.expires + CLOSE;
            if self.lives.iter().any(close) {
                tokio::time::sleep(CLOSE).await;
            } else if !self.expire().await {
                return;
            }
        }
    }

    async fn step(&mut self) {
        self.calm().await;
        match self.random.below(16) {
            0 | 1 if self.lives.len() < 40 => self.create(false).await,
            2 | 3 if self.lives.len() < 40 => self.create(true).await,
            4..=6 => self.order().await,
            7 => self.answer().await,
            8 => self.answer_badly().await,
            9 => self.cancel_modern().await,
            10 => self.cancel_legacy().await,
            11 => self.wait().await,
            12 => self.hang_up().await,
            13 => self.list().await,
            14 => {
                tokio::time::sleep(Duration::from_millis(1 + self.random.below(8_000) as u64)).await
            }
            _ => {}
        }
        self.settle().await;
        self.calm().await;
        self.look().await;
        self.check_waiters().await;
    }

    async fn create(&mut self, legacy: bool) {
        self.next_label += 1;
        let label = self.next_label;
        let (orders, receiver) = mpsc::unbounded_channel();
        self.director.0.lock().insert(label, receiver);
        let params = json!({"name": "directed", "arguments": {"label": label}});
        let made_at = Instant::now();
        let (id, ttl) = if legacy {
            let ttl = 1_000 + self.random.below(60_000) as u64;
            let mut params = params;
            params["task"] = json!({ "ttl": ttl });
            params["_meta"] = json!({"progressToken": label});
            let made = self.legacy("tools/call", params).await;
            assert_eq!(made["result"]["task"]["ttl"], ttl, "{made}");
            (
                made["result"]["task"]["taskId"].clone(),
                Duration::from_millis(ttl),
            )
        } else {
            let made = self.modern("tools/call", params).await;
            assert_eq!(made["result"]["resultType"], "task", "{made}");
            (made["result"]["taskId"].clone(), TTL)
        };
        let (phase, keys) = (Phase::Working, BTreeSet::new());
        self.lives.push(Life {
            id,
            label,
            orders,
            expires: made_at + ttl,
            phase,
            can_ask: !legacy,
            keys,
        });
    }

    fn pick(&mut self, fits: impl Fn(Phase) -> bool) -> Option<usize> {
        let fitting: Vec<usize> = (0..self.lives.len())
            .filter(|&at| fits(self.lives[at].phase))
            .collect();
        (!fitting.is_empty()).then(|| fitting[self.random.below(fitting.len())])
    }

    async fn order(&mut self) {
        let Some(at) = self.pick(|phase| phase == Phase::Working) else {
            return;
        };
        let what = self.random.below(200);
        let life = &mut self.lives[at];
        let (order, next) = match what {
            0..=99 => (Order::Ask, Phase::Asking),
            100..=139 => (Order::Finish, Phase::Done),
            140..=169 => (Order::Report, Phase::Reported),
            170..=198 => (Order::Fail, Phase::Failed),
            _ => (Order::Panic, Phase::Failed),
        };
        life.phase = next;
        life.orders.send(order).unwrap();
        self.settle().await;
        if self.lives[at].phase == Phase::Asking {
            self.asked(at).await;
        }
    }

    /// Looks at a question that should be open now, or at the error of a client that cannot be asked.
    async fn asked(&mut self, at: usize) {
        let got = self
            .modern("tasks/get", json!({"taskId": self.lives[at].id}))
            .await["result"]
            .clone();
        if !self.lives[at].can_ask {
            assert_eq!(got["result"]["isError"], true, "{got}");
            self.lives[at].phase = Phase::Reported;
            return;
        }
        let requests = got["inputRequests"]
            .as_object()
            .unwrap_or_else(|| panic!("{got}"));
        assert_eq!(requests.len(), 1);
        let key = requests.keys().next().unwrap().clone();
        assert!(
            self.lives[at].keys.insert(key.clone()),
            "the key {key} was used twice"
        );
    }

    async fn open_key(&mut self, at: usize) -> String {
        let got = self
            .modern("tasks/get", json!({"taskId": self.lives[at].id}))
            .await;
        got["result"]["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .next()
            .unwrap()
            .clone()
    }

    async fn answer(&mut self) {
        let Some(at) = self.pick(|phase| phase == Phase::Asking) else {
            return;
        };
        let key = self.open_key(at).await;
        let accept = self.random.below(4) > 0;
        let answer = if accept {
            json!({"action": "accept", "content": {"name": "Ada"}})
        } else {
            json!({"action": "decline"})
        };
        let params = json!({"taskId": self.lives[at].id, "inputResponses": {key.clone(): answer.clone(), "x": 1}});
        let acknowledged = self.modern("tasks/update", params.clone()).await;
        assert_eq!(
            acknowledged["result"]["resultType"], "complete",
            "{acknowledged}"
        );
        self.lives[at].phase = if accept {
            Phase::Working
        } else {
            Phase::Reported
        };
        self.settle().await;
        // The same answer again has no effect.
        let again = self.modern("tasks/update", params).await;
        assert_eq!(again["result"]["resultType"], "complete");
    }

    async fn answer_badly(&mut self) {
        let Some(at) = self.pick(|phase| phase == Phase::Asking) else {
            return;
        };
        let key = self.open_key(at).await;
        let params = json!({"taskId": self.lives[at].id, "inputResponses": {key: {"action": "accept", "content": {"name": 5}}}});
        let refused = self.modern("tasks/update", params).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }

    async fn cancel_modern(&mut self) {
        let Some(at) = self.pick(|_| true) else {
            return;
        };
        let acknowledged = self
            .modern("tasks/cancel", json!({"taskId": self.lives[at].id}))
            .await;
        assert_eq!(
            acknowledged["result"]["resultType"], "complete",
            "{acknowledged}"
        );
        if !self.lives[at].phase.is_terminal() {
            self.lives[at].phase = Phase::Cancelled;
        }
    }

    async fn cancel_legacy(&mut self) {
        let Some(at) = self.pick(|_| true) else {
            return;
        };
        let params = json!({"taskId": self.lives[at].id});
        let answer = self.legacy("tasks/cancel", params).await;
        if self.lives[at].phase.is_terminal() {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        } else {
            assert_eq!(answer["result"]["status"], "cancelled", "{answer}");
            self.lives[at].phase = Phase::Cancelled;
        }
    }

    async fn wait(&mut self) {
        if self.waiters.len() >= 20 {
            return;
        }
        let Some(at) = self.pick(|_| true) else {
            return;
        };
        let id = self.lives[at].id.clone();
        let waiting = tokio::spawn(self.legacy("tasks/result", json!({ "taskId": id })));
        self.waiters.push((id, waiting));
    }

    async fn hang_up(&mut self) {
        if self.waiters.is_empty() {
            return;
        }
        let at = self.random.below(self.waiters.len());
        let (_, waiting) = self.waiters.swap_remove(at);
        waiting.abort();
    }

    async fn list(&mut self) {
        let mut listed = BTreeSet::new();
        let mut cursor = None;
        loop {
            let params =
                cursor.map_or_else(|| json!({}), |cursor: Value| json!({ "cursor": cursor }));
            let page = self.legacy("tasks/list", params).await["result"].clone();
            for task in page["tasks"].as_array().unwrap() {
                assert!(
                    listed.insert(task["taskId"].as_str().unwrap().to_owned()),
                    "listed twice"
                );
            }
            match page.get("nextCursor") {
                Some(next) => cursor = Some(next.clone()),
                None => break,
            }
        }
        let known: BTreeSet<_> = self
            .lives
            .iter()
            .map(|life| life.id.as_str().unwrap().to_owned())
            .collect();
        assert_eq!(listed, known);
    }

    /// Looks at one task through both eras.
    async fn look(&mut self) {
        let Some(at) = self.pick(|_| true) else {
            return;
        };
        let (phase, label) = (self.lives[at].phase, self.lives[at].label);
        let params = json!({"taskId": self.lives[at].id});
        let new = self.modern("tasks/get", params.clone()).await["result"].clone();
        let old = self.legacy("tasks/get", params.clone()).await["result"].clone();
        assert_eq!(
            (&new["status"], &old["status"]),
            (&json!(phase.modern()), &json!(phase.legacy())),
            "{new}\n{old}"
        );
        assert_eq!(
            new.get("inputRequests").is_some(),
            phase == Phase::Asking,
            "{new}"
        );
        assert_eq!(new.get("error").is_some(), phase == Phase::Failed, "{new}");
        assert_eq!(
            new.get("result").is_some(),
            matches!(phase, Phase::Done | Phase::Reported),
            "{new}"
        );
        assert_eq!(new["lastUpdatedAt"], old["lastUpdatedAt"]);
        if phase.is_terminal() {
            let result = self.legacy("tasks/result", params).await;
            check_outcome(phase, label, &result);
        }
    }

    /// Tasks whose time is over are gone, whatever they were doing. False if there was none.
    async fn expire(&mut self) -> bool {
        let now = Instant::now();
        let (over, lives) = std::mem::take(&mut self.lives)
            .into_iter()
            .partition(|life| life.expires <= now);
        self.lives = lives;
        let over: Vec<Life> = over;
        let any = !over.is_empty();
        for life in over {
            let params = json!({"taskId": life.id, "inputResponses": {}});
            for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
                let gone = self.modern(method, params.clone()).await;
                assert_eq!(gone["error"]["code"], -32602, "{method}: {gone}");
            }
            for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
                let gone = self.legacy(method, params.clone()).await;
                assert_eq!(gone["error"]["code"], -32602, "{method}: {gone}");
            }
            self.settle().await;
            for (_, waiting) in self
                .waiters
                .extract_if(.., |(id, _)| *id == life.id)
                .collect::<Vec<_>>()
            {
                assert!(
                    waiting.is_finished(),
                    "a waiter of a task that has gone was not answered"
                );
                let answer = waiting.await.unwrap();
                assert!(
                    answer.get("error").is_some() || life.phase.is_terminal(),
                    "{answer}"
                );
            }
        }
        any
    }

    /// Those who wait are answered when their task is over, and not before.
    async fn check_waiters(&mut self) {
        self.settle().await;
        let mut open = Vec::new();
        for (id, waiting) in std::mem::take(&mut self.waiters) {
            let Some(life) = self.lives.iter().find(|life| life.id == id) else {
                open.push((id, waiting));
                continue;
            };
            let (phase, label) = (life.phase, life.label);
            assert_eq!(waiting.is_finished(), phase.is_terminal(), "{phase:?}");
            if phase.is_terminal() {
                check_outcome(phase, label, &waiting.await.unwrap());
            } else {
                open.push((id, waiting));
            }
        }
        self.waiters = open;
    }
}

fn check_outcome(phase: Phase, label: u64, answer: &Value) {
    match phase {
        Phase::Done => assert_eq!(
            answer["result"]["content"][0]["text"],
            format!("done {label}"),
            "{answer}"
        ),
        Phase::Reported => assert_eq!(answer["result"]["isError"], true, "{answer}"),
        Phase::Failed | Phase::Cancelled => assert!(answer.get("error").is_some(), "{answer}"),
        Phase::Working | Phase::Asking => panic!("{answer}"),
    }
}

/// covers: M-LIFE-1, M-LIFE-2, M-LIFE-3, M-UPD-2, M-CAN-2, L-LIFE-1, L-RES-1, L-RES-3, L-LIST-1, T12-L, T13-L, T13-M, M-TIME-3
#[test]
fn random_lives_of_tasks_agree_with_the_model() {
    let steps = std::env::var("MCP_MODEL_STEPS")
        .ok()
        .and_then(|steps| steps.parse().ok())
        .unwrap_or(STEPS);
    for seed in 1..=SEEDS {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut world = World::new(seed).await;
            for step in 0..steps / SEEDS as usize {
                if std::env::var_os("MCP_MODEL_TRACE").is_some() {
                    eprintln!("seed {seed}, step {step}");
                }
                world.step().await;
            }
            world.server.shutdown().await;
        });
    }
}
