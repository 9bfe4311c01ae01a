// A published client of 2025-11-25 against fixture-server: `node legacy.mjs URL`.
// One line a check; the last line is `N passed, M failed`.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, CreateTaskResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const url = new URL(process.argv[2]);
const RELATED = 'io.modelcontextprotocol/related-task';
const TERMINAL = ['completed', 'failed', 'cancelled'];

/** A connected client that answers every question with `content` and remembers the questions. */
async function connect(content = { confirm: true, name: 'me' }) {
  const client = new Client({ name: 'interop', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  const asked = [];
  client.setRequestHandler(ElicitRequestSchema, (request) => {
    asked.push(request);
    return { action: 'accept', content };
  });
  await client.connect(new StreamableHTTPClientTransport(url));
  return { client, tasks: client.experimental.tasks, asked };
}

/** Calls a tool as the SDK's users do, and gives every message of the stream by type. */
async function stream(tasks, name, args) {
  const seen = { taskCreated: [], taskStatus: [], result: [], error: [] };
  for await (const message of tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, { task: { ttl: 60_000 } })) {
    seen[message.type].push(message.task ?? message.result ?? message.error);
  }
  return seen;
}

/** Asks for a task and gives its handle. */
async function create(client, name, args, task = { ttl: 60_000 }) {
  const request = { method: 'tools/call', params: { name, arguments: args, task } };
  return (await client.request(request, CreateTaskResultSchema)).task;
}

/** Polls a task and nothing else, until it satisfies `done`. */
async function poll(tasks, id, done = (task) => TERMINAL.includes(task.status)) {
  for (;;) {
    const task = await tasks.getTask(id);
    if (done(task)) return task;
    await new Promise((resolve) => setTimeout(resolve, task.pollInterval ?? 100)); // the pace the server asks for
  }
}

const rejects = (promise, code) => assert.rejects(promise, (error) => (assert.equal(error.code, code, String(error)), true));
const text = (result) => result.content[0].text;

const checks = {
  async 'the capabilities are those of tasks for tools, without a list for strangers'() {
    const { client } = await connect();
    const { tasks } = client.getServerCapabilities();
    assert.deepEqual(tasks.requests.tools.call, {});
    assert.deepEqual(tasks.cancel, {});
    assert.equal(tasks.list, undefined);
    assert.equal(client.getServerCapabilities().extensions?.['io.modelcontextprotocol/tasks'], undefined);
    const support = Object.fromEntries((await client.listTools()).tools.map((tool) => [tool.name, tool.execution?.taskSupport]));
    assert.equal(support.slow_compute, 'optional');
    assert.equal(support.failing_job, 'required');
    assert.ok([undefined, 'forbidden'].includes(support.greet));
  },

  async 'a task goes from handle to status to result'() {
    const { tasks } = await connect();
    const seen = await stream(tasks, 'slow_compute', { seconds: 1, label: 'interop' });
    assert.equal(seen.taskCreated[0].status, 'working');
    assert.equal(seen.taskCreated[0].ttl, 60_000);
    assert.equal(seen.taskStatus.at(-1).status, 'completed');
    assert.match(text(seen.result[0]), /interop/);
    assert.equal(seen.result[0]._meta[RELATED].taskId, seen.taskCreated[0].taskId);
  },

  async 'a question reaches a client that calls tasks/result when it sees input_required'() {
    for (const confirm of [true, false]) {
      const { tasks, asked } = await connect({ confirm });
      const seen = await stream(tasks, 'confirm_delete', { filename: 'a.txt' });
      assert.match(text(seen.result[0]), new RegExp(`confirmed: ${confirm}`));
      assert.equal(asked.length, 1);
      assert.equal(asked[0].params._meta[RELATED].taskId, seen.taskCreated[0].taskId);
    }
  },

  async 'a question reaches a client that only polls, on its GET stream'() {
    const { client, tasks, asked } = await connect();
    const { taskId } = await create(client, 'confirm_delete', { filename: 'b.txt' });
    assert.equal((await poll(tasks, taskId)).status, 'completed');
    assert.equal(asked.length, 1);
    assert.equal(asked[0].params._meta[RELATED].taskId, taskId);
    assert.match(text(await tasks.getTaskResult(taskId, CallToolResultSchema)), /confirmed: true/);
  },

  async 'two questions at once are both answered'() {
    const { tasks, asked } = await connect();
    const seen = await stream(tasks, 'multi_input', {});
    assert.equal(text(seen.result[0]), 'me: true');
    assert.equal(asked.length, 2);
  },

  async 'a question before the task goes out on the stream of the call'() {
    const { client, tasks, asked } = await connect({ name: 'Alice' });
    const { taskId } = await create(client, 'test_tool_with_task', {});
    assert.equal(asked.length, 1);
    assert.equal((await poll(tasks, taskId)).status, 'completed');
    assert.match(text(await tasks.getTaskResult(taskId, CallToolResultSchema)), /Alice/);
  },

  async 'a tool error is a failed task that says why and keeps its result'() {
    const { tasks } = await connect();
    const seen = await stream(tasks, 'failing_job', {});
    const failed = seen.taskStatus.at(-1);
    assert.equal(failed.status, 'failed');
    assert.match(failed.statusMessage, /the job failed/);
    assert.equal(seen.error.length, 1);
    assert.equal((await tasks.getTaskResult(failed.taskId, CallToolResultSchema)).isError, true);
  },

  async 'a protocol error is a failed task whose result is that error'() {
    const { tasks } = await connect();
    const seen = await stream(tasks, 'protocol_error_job', {});
    assert.equal(seen.taskStatus.at(-1).status, 'failed');
    await rejects(tasks.getTaskResult(seen.taskCreated[0].taskId, CallToolResultSchema), -32603);
  },

  async 'a cancelled task is cancelled at once and for good'() {
    const { client, tasks } = await connect();
    const { taskId } = await create(client, 'slow_compute', { seconds: 60, label: 'never' });
    const waiting = tasks.getTaskResult(taskId, CallToolResultSchema);
    waiting.catch(() => {}); // looked at below
    assert.equal((await tasks.cancelTask(taskId)).status, 'cancelled');
    await assert.rejects(waiting);
    assert.equal((await tasks.getTask(taskId)).status, 'cancelled');
    await rejects(tasks.cancelTask(taskId), -32602);
    await rejects(tasks.getTask('never-issued'), -32602);
  },

  async 'many waiters of one task are all answered'() {
    const { client, tasks } = await connect();
    const { taskId } = await create(client, 'slow_compute', { seconds: 1, label: 'shared' });
    const results = await Promise.all(Array.from({ length: 10 }, () => tasks.getTaskResult(taskId, CallToolResultSchema)));
    for (const result of results) assert.match(text(result), /shared/);
  },

  async 'who does not ask for a task gets none, and a tool may insist or refuse'() {
    const { client } = await connect();
    const plain = await client.callTool({ name: 'slow_compute', arguments: { seconds: 0, label: 'plain' } });
    assert.match(text(plain), /plain/);
    const required = { method: 'tools/call', params: { name: 'failing_job', arguments: {} } };
    await rejects(client.request(required, CallToolResultSchema), -32601);
    await rejects(create(client, 'greet', { name: 'you' }), -32601);
  },
};

let passed = 0;
let failed = 0;
await Promise.all(
  Object.entries(checks).map(async ([name, check]) => {
    try {
      await check();
      passed += 1;
      console.log(`ok      legacy: ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  legacy: ${name}\n        ${String(error.stack ?? error).replaceAll('\n', '\n        ')}`);
    }
  }),
);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
