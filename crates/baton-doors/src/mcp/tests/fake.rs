//! Tools that stand for use cases: one that answers, one that refuses, one that fails inside.

use baton_core::{Caller, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use crate::hub::Hub;
use crate::mcp::tool::{Tool, tool};
use crate::service::Error;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        tool!("greet", greet::run(Args), "Greets an agent."),
        tool!("refuse", refuse::run(Args), "Refuses."),
        tool!("panic", panic::run(Args), "Fails inside."),
    ]
}

mod greet {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Args {
        alias: String,
        #[allow(dead_code)]
        times: Option<u32>,
        #[allow(dead_code)]
        nested: Option<Nested>,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Nested {
        #[allow(dead_code)]
        deep: String,
    }

    #[derive(Serialize)]
    pub(super) struct Answer {
        ok: bool,
        alias: String,
        actor: String,
    }

    pub(super) async fn run(_: &Arc<Hub>, caller: &Caller, args: Args) -> Result<Answer, Error> {
        if args.alias.is_empty() {
            return Err(Error::argument("alias", "must be 1 to 200 characters"));
        }
        Ok(Answer { ok: true, alias: args.alias, actor: caller.principal()?.name().into() })
    }
}

mod refuse {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Args {}

    pub(super) async fn run(_: &Arc<Hub>, _: &Caller, _: Args) -> Result<(), Error> {
        Err(Refusal::AliasNotFound.into())
    }
}

mod panic {
    use super::*;

    #[derive(Deserialize, JsonSchema)]
    pub(super) struct Args {}

    pub(super) async fn run(_: &Arc<Hub>, _: &Caller, _: Args) -> Result<(), Error> {
        panic!("on purpose")
    }
}
