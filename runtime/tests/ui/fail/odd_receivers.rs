use std::{rc::Rc, sync::Arc};

use mcp_tasks::task_tools;

struct Shop;

#[task_tools]
impl Shop {
    #[task_tool]
    async fn open(self: &Rc<Self>) {}

    #[task_tool]
    async fn close(self: &mut Self) {}

    #[task_tool]
    async fn fine(self: &Arc<Self>) {}
}

fn main() {}
