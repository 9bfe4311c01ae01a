"""Writes the two crates that `tests/bench macro` compiles: the same hundred tools with `#[task_tool]` and with rmcp's `#[tool]`.

Names, parameters with their descriptions, bodies and return types are the same on both sides. Each side is written as its
users write it: parameters of the function here, one struct of parameters a tool there.
"""

TOOLS = 100

# What a tool takes: name, type, description.
SHAPES = [
    [("name", "String", "Whom to greet"), ("loud", "bool", "Whether to shout")],
    [("left", "i64", "One number"), ("right", "i64", "The other number")],
    [("query", "String", "Words to look for"), ("limit", "Option<u32>", "The most results"), ("after", "Option<String>", "Where to go on")],
    [("place", "Place", "Where"), ("level", "Level", "How urgent it is")],
    [("ids", "Vec<String>", "Which of them"), ("scale", "f64", "A factor")],
]

# What it gives: return type, last expression; `{text}` is something that uses all parameters.
RESULTS = [
    ("String", "{text}"),
    ("Result<String, String>", "if {text}.is_empty() {{ Err(\"nothing\".to_owned()) }} else {{ Ok({text}) }}"),
    ("Json<Report{group}>", "Json(Report{group} {{ title: {text}, lines: vec![], total: 1 }})"),
    ("Result<Json<Report{group}>, String>", "Ok(Json(Report{group} {{ title: {text}, lines: vec![], total: 2 }}))"),
]

SHARED = """
/// A place on the map.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Place {
    /// Degrees to the north
    pub latitude: f64,
    /// Degrees to the east
    pub longitude: f64,
    /// What people call it
    pub name: Option<String>,
}

/// How urgent something is.
#[derive(Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Low,
    Normal,
    High,
}
"""

REPORT = """
/// What was found.
#[derive(Debug, serde::Serialize, schemars::JsonSchema)]
pub struct Report{group} {{
    /// In short
    pub title: String,
    /// In full
    pub lines: Vec<String>,
    /// How many there are
    pub total: u64,
}}
"""


def tool(number):
    """One tool: its name, parameters, return type and body."""
    params = SHAPES[number % len(SHAPES)]
    group = number // 10
    result, body = RESULTS[number % len(RESULTS)]
    text = 'format!("' + " ".join("{%s:?}" % name for name, _, _ in params) + '")'
    return f"tool_{number}", params, result.format(group=group), body.format(group=group, text=text)


def shared():
    """Types that both sides have."""
    return SHARED + "".join(REPORT.format(group=group) for group in range(TOOLS // 10))


def ours():
    """The library with `#[task_tool]`."""
    code = "//! A hundred tools.\n\nuse mcp_tasks::{Json, Server, task_tool, tools};\n" + shared()
    names = []
    for number in range(TOOLS):
        name, params, result, body = tool(number)
        names.append(name)
        listed = "".join(f"    /// {doc}\n    {param}: {ty},\n" for param, ty, doc in params)
        code += f"\n/// Does the work of number {number}.\n#[task_tool]\npub async fn {name}(\n{listed}) -> {result} {{\n    {body}\n}}\n"
    return code + f"""
/// A server of them all.
pub fn server() -> Server {{
    Server::builder().name("bench").version("1").tools(tools![{", ".join(names)}]).build().expect("a server")
}}
"""


def theirs():
    """The library with rmcp's `#[tool]`."""
    code = ("//! A hundred tools.\n\nuse rmcp::{\n    ServerHandler, handler::server::{router::tool::ToolRouter, wrapper::{Json, "
            "Parameters}},\n    tool, tool_handler, tool_router,\n};\n" + shared())
    methods = ""
    for number in range(TOOLS):
        name, params, result, body = tool(number)
        fields = "".join(f"    /// {doc}\n    pub {param}: {ty},\n" for param, ty, doc in params)
        code += f"\n#[derive(serde::Deserialize, schemars::JsonSchema)]\npub struct Params{number} {{\n{fields}}}\n"
        taken = ", ".join(param for param, _, _ in params)
        methods += (f"\n    /// Does the work of number {number}.\n    #[tool]\n    pub async fn {name}(&self, "
                    f"Parameters(Params{number} {{ {taken} }}): Parameters<Params{number}>) -> {result} {{\n        {body}\n    }}\n")
    return code + f"""
/// A server of them all.
#[derive(Clone)]
pub struct Bench {{
    tool_router: ToolRouter<Self>,
}}

#[tool_router]
impl Bench {{{methods}}}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for Bench {{}}

/// A server of them all.
pub fn server() -> Bench {{
    Bench {{ tool_router: Bench::tool_router() }}
}}
"""


def package(name, dependency):
    """A manifest."""
    return f"""[package]
name = "{name}"
version = "0.1.0"
edition = "2024"

[workspace]

[dependencies]
{dependency}
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
"""


def write(folder, runtime, lock):
    """Writes both crates below a folder; gives their names and folders."""
    sides = {
        "mcp-tasks": (ours(), f'mcp-tasks = {{ path = "{runtime}", default-features = false }}'),
        "rmcp": (theirs(), 'rmcp = { version = "=3.11.0", default-features = false, features = ["server", "macros"] }'),
    }
    places = {}
    for side, (code, dependency) in sides.items():
        place = folder / side
        (place / "src").mkdir(parents=True, exist_ok=True)
        (place / "src" / "lib.rs").write_text(code)
        (place / "Cargo.toml").write_text(package(f"tools-of-{side}", dependency))
        if not (place / "Cargo.lock").exists():
            (place / "Cargo.lock").write_bytes(lock.read_bytes())
        places[side] = place
    return places
