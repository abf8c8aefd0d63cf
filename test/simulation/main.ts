/**
 * Runs histories of the whole service against a model of the world (`npm run test:simulation`). A seed determines each
 * history.
 *
 * **One process, one event at a time.** The loops of one or two daemons run unchanged in this process: feed, feed
 * maintenance, sleep, charges, corroboration, trust in nodes, reconciliation, expiry verification, payouts, relayer,
 * releases, escrow ends, payments by signature, checks, refunds, sandbox, webhooks, sequencer. One or two processes of
 * the API (`api/`) run too, with its middleware and its handlers of charges, checks, refunds and the sandbox, and so do
 * the API's statements that request refunds and the statements of operators' commands. Everything that these processes
 * wait for is in one queue (`engine/scheduler.ts`): timers, database statements, requests to nodes and to the API,
 * responses of endpoints. The seed determines all durations, and therefore the order of events.
 *
 * **Ports.** *Time and random numbers*: `engine/owned-process.ts` replaces `Date.now`, timers, `Math.random` and random
 * bytes, but only for the process whose event is running. *Database*: a real PostgreSQL with one database per seed. The
 * driver's bytes go through `engine/gated-socket.ts`, which lets one statement through at a time. SQL's `now()` is
 * replaced by a function that returns the simulated time. *Nodes*: `engine/rpc-port.ts` replaces only `fetch`, so that
 * clients, retries and timeouts are the product's. *Endpoints*: `PostWebhook`. *Requests to the API*: Node's request
 * and response without a connection (`api/handle-request.ts`).
 *
 * **Merchants** (`api/client.ts`) repeat a request with its idempotency key until it succeeds or is finally rejected,
 * sometimes with two attempts at the same time. Meanwhile, they read all pages of their charges. In two of five
 * histories, one merchant uses the sandbox (`api/begin-sandbox.ts`).
 *
 * **The world** (`history.ts`, `model/`): up to three chains with forks, reorganizations, equal timestamps and their
 * own clocks. Each chain has two or three nodes, which can lag, stop, fail, limit requests, omit data or serve another
 * chain. At most one node of a chain lies (`model/lie.ts`), to the feed and to all other callers. A keeper distributes,
 * issuers freeze accounts, and payers pay, some in the exact second of a deadline. Operators pause pairs, abandon
 * networks, let held charges end (`operators.ts`), trust a node, import charges that a restored database lacks
 * (`commands.ts`), strike rows (`strikes.ts`), repair feeds (`repairs.ts`) and release quarantined charges
 * (`quarantines.ts`). Ponder, a separate process in production, is replaced by a model of its writes
 * (`model/ponder.ts`). The model of the contracts is independent of the Solidity code. A process that dies is
 * restarted. No process may die of an uncaught error.
 *
 * **Sleep.** In two of three histories networks sleep after 1 to 8 s without work (`plan-sleep.ts`, `feed.ts`): some
 * from the start of the history, and all between their charges. Payments arrive in the seconds in which their charge
 * wakes a network, and long after the charge has ended. Chains are reorganized during the sleep, nodes lie about the
 * heads at which networks fall asleep, and daemons are killed while they wake a network. No daemon receives a database
 * notification. A network that wakes starts a new generation of Ponder's tables. A late payment on a sleeping network
 * must be found when the network wakes; the schedule of checks of old charges is not simulated.
 *
 * **Escrow and dust.** In three of ten histories, most charges are paid into Safes (`plan-escrow.ts`). Their releasers
 * prepare, sign and send orders with the API's functions, some repeatedly until the escrow has ended, and also move
 * money on chain without the service (`escrow-orders.ts`, `escrow-moves.ts`). Strangers send dust, some of it between a
 * releaser's signature and order, submit the signature themselves, and distribute with a Safe as the distributor. The
 * model of a Safe accepts only signatures that its owner has made.
 *
 * **Arc.** In an eighth of all histories, Arc takes the place of one chain (`plan-arc.ts`). Arc's coin is USDC with 18
 * decimals; the token shows the same balance with 6 (`model/coins.ts`). Payers send the coin or the token. Fractions of
 * a token unit stay in the split, the relayer pays gas in the coin, and blocks are final immediately.
 *
 * **TRON.** In an eighth of all histories, TRON takes the place of one chain (`plan-tron.ts`). Its nodes serve
 * `/jsonrpc` and the HTTP API (`model/tron-node.ts`), whose `/walletsolidity` shows only solidified blocks. Block
 * hashes contain the height, transactions expire, and a call whose fee limit does not pay for its energy fails
 * (`model/tron-call.ts`). A charge accepts either TRON or the other chains.
 *
 * **Strikes.** In a sixth of all histories, an operator orders the strike of every row of a chain by mistake, and then
 * of the rows that a deep reorganization removed; or trusts a lying node while all others are silent, and then strikes
 * the rows that this node invented (`plan-strikes.ts`). Every node must deny a struck row, and the amounts must then
 * agree with the chains again (`strike-invariants.ts`).
 *
 * **Trusts.** In a twentieth of all histories, an operator trusts an honest node for up to 45 s while the others are
 * silent (`plan-trusts.ts`). The trusted node decides alone, and the others verify the counted rows afterwards.
 *
 * **Forks.** In a tenth of all histories, the only node of a chain that responds for some time shows a fork without
 * transfers (`plan-forks.ts`). Payments that are already credited must stay.
 *
 * **Repairs.** In an eighth of all histories, the feed of one chain becomes unusable or wrong (`plan-repairs.ts`):
 * Ponder has followed another chain, lacks rows and has invented ones in blocks that it considers final, or reads no
 * further block. Only a new generation ends these faults. Operators order the repair, also by mistake, twice, or from a
 * block above the chain, while daemons die (`repairs.ts`).
 *
 * **Quarantines.** In an eighth of all histories, the database rejects the results of the turns of one charge or of all
 * charges for some time, or a daemon of another build quarantines them. Operators release the charges, also before
 * their turns succeed again (`quarantines.ts`).
 *
 * **Signatures.** In a quarter of all histories, payers pay charges by signature (`plan-signatures.ts`): with short
 * validity, with used nonces, with strangers who submit the signature first, and with payers who cancel it
 * (`signatures.ts`).
 *
 * **Claims.** In a fifth of all histories, merchants declare refunds whose payers name the destination
 * (`plan-claims.ts`). The payers open the page of their link and send an address (`claim-payer.ts`). The merchants
 * approve it, reject it, approve another address by mistake, replace lost links, cancel, or let the deadline pass,
 * which is moved forward because 30 days are too long for a history (`claims.ts`). Strangers use replaced links. The
 * invariants compare the service's data with everything that both sides sent and received (`claim-invariants.ts`). Only
 * these histories have a checkout.
 *
 * **A history** has 50 s of faults (150 s with sleep), drawn by `plan.ts`. Then all faults end, except the permanent
 * losses of some histories (`plan-for-good.ts`): one of two daemons dies, or one of three nodes of a chain becomes
 * silent or lies. After such a loss, one or two more charges are created. The history must come to rest within an hour
 * and a half (`rest-bound.ts`), or the run prints the unfinished rows and the reasons (`stalled-rows.ts`). The
 * invariants (`invariants.ts`) compare the service's data with the chains: after a fixed number of steps, before each
 * block, and at the end. Database triggers record the data on which the service based each decision
 * (`observation-log.ts`).
 *
 * **Control** (`failover.ts`). With `--control lost-commits`, the database fails over to an asynchronous standby
 * (`engine/standby.ts`), which lacks the commit of a charge whose creation returned 201, and all later commits. The
 * product requires a database that loses no commit, so such a run succeeds only if nearly every history violates an
 * invariant.
 *
 * **Markers** (`reached/`). Each rule of the table of mutants, each branch of the quorum decision and each transition
 * of a machine has a marker in the code that workers load (`reached/instrument.ts`). A run prints the rules that its
 * histories reach rarely or never. A run of at least 2,000 seeds fails if fewer than 20 histories reach a rule, except
 * those in `reached/out-of-reach.ts`.
 *
 * **Planted bugs** (`planted-bugs.ts`). With `--planted`, 60 bugs are planted in a copy of the code, one by one. 200
 * seeds first run without a bug, to find those that reach the place of each bug (`plant-bugs.ts`). Then each bug is
 * planted in the seeds that reach it, until one fails.
 *
 * Each worker is a process with its own PostgreSQL (`run-seeds.ts`). A seed takes about 12,000 steps and four seconds
 * of CPU time, 40 % of it in PostgreSQL. A failed seed is printed with its command. In runs of at most 20 seeds, a
 * failed seed is run again with ever fewer faults, to find those that cause the failure.
 */
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { plantBugs } from './plant-bugs.ts'
import { REST_MS } from './rest-bound.ts'
import { runControl } from './run-control.ts'
import { type RunSeed, runSeeds } from './run-seeds.ts'
import { shrink } from './shrink.ts'
import type { Outcome } from './simulate.ts'

const USAGE = `Runs seeded histories of the service against a model of the world.

  npm run test:simulation -- --seeds N       number of seeds (10); with at most 20, failed seeds are shrunk
      --from SEED                     first seed (1)
      --workers N                     number of parallel processes (1), each with its own PostgreSQL
      --steps M                       maximum number of events per seed
      --trace                         prints every event
      --first-failure                 stops at the first failed seed, without shrinking it
      --reached FILE                  continues the run in FILE: skips its seeds, and adds to its counts of rules
      --liveness                      one of two daemons and one of three nodes of each chain never recover
      --unmarked                      does not count how often rules are reached
  npm run test:simulation -- --control lost-commits
                                      a failover loses the last commits: nearly every seed must fail
      --seeds N, --from SEED, --workers N
  npm run test:simulation -- --planted       plants 60 bugs in a copy of the code, one by one: some seed must fail for each;
                                      a bug is planted only in the seeds that reach its place
      --only TEXT                     only bugs whose rule contains the text
      --reached FILE                  keeps in FILE which seeds reach which bug, for later runs of the same code
      --seeds N, --from SEED, --workers N   200 seeds by default
`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    steps: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'first-failure': { type: 'boolean', default: false },
    reached: { type: 'string' },
    liveness: { type: 'boolean', default: false },
    unmarked: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    control: { type: 'string' },
    only: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
})

/**
 * Up to this number of seeds, each outcome is printed, and the faults of each failed seed are reduced. With more seeds,
 * only failures are printed, and the progress after every `TELL_EVERY` seeds.
 */
const FEW = 20
const TELL_EVERY = 50

const workers = countOf('workers', { most: 4 * availableParallelism() })

if (values.help) console.log(USAGE)
else if (values.planted)
  process.exitCode = await plantBugs({
    ...{ only: values.only, file: values.reached ?? null },
    ...{ seeds: listSeeds({ otherwise: 200 }), workers },
  })
else if (values.control === 'lost-commits')
  process.exitCode = await runControl({ seeds: listSeeds(), workers })
else if (values.control !== undefined)
  throw new Error(`there is no control ${JSON.stringify(values.control)}`)
else process.exitCode = await run()

async function run(): Promise<0 | 1> {
  const seeds = listSeeds()
  const [from, count] = [countOf('from'), seeds.length]
  const sum = {
    held: 0,
    failed: 0,
    happened: 0,
    simulatedSeconds: 0,
    faults: 0,
    asleep: 0,
    awake: 0,
    restSeconds: 0,
  }
  const startedMs = Date.now()
  const onOutcome = async (outcome: Outcome, again: RunSeed) => {
    const isFailed = outcome.failure !== null
    sum[isFailed ? 'failed' : 'held'] += 1
    sum.happened += outcome.happened
    sum.simulatedSeconds += outcome.simulatedSeconds
    sum.faults += outcome.faults.length
    sum.asleep += outcome.turns.asleep
    sum.awake += outcome.turns.awake
    sum.restSeconds = Math.max(sum.restSeconds, outcome.restSeconds)
    if (isFailed || count <= FEW) tell(outcome)
    else if ((sum.held + sum.failed) % TELL_EVERY === 0)
      console.log(`${sum.held} held, ${sum.failed} failed of ${count} seeds from ${from}`)
    if (!isFailed) return 'more'
    if (values['first-failure']) return 'enough'
    if (count <= FEW) await explain(outcome, again)
    else console.log(`  again: ${commandOf(outcome.seed)}`)
    return 'more'
  }
  const order = {
    ...(values.steps !== undefined && { maxSteps: countOf('steps') }),
    ...{ isTraced: values.trace, isLiveness: values.liveness },
  }
  const reached = values.unmarked ? null : await countReached()
  const left = seeds.filter((seed) => reached?.counted.has(seed) !== true)
  await runSeeds({ seeds: left, workers, onOutcome, order, markers: reached?.markers ?? null })
  const { lines = [], isEnough = true } = reached?.end() ?? {}
  for (const line of lines) console.log(line)
  const { held, failed, happened, simulatedSeconds, faults, asleep, awake, restSeconds } = sum
  const figures = [
    `${happened} steps`,
    `${faults} faults`,
    `networks fell asleep ${asleep} times and woke ${awake} times`,
    `${Math.round(simulatedSeconds)} s simulated`,
    `the slowest came to rest after ${Math.round(restSeconds)} s of ${REST_MS / 1000} s`,
    `${Math.round((Date.now() - startedMs) / 1000)} s elapsed`,
  ].join(', ')
  console.log(`seeds ${from} to ${from + held + failed - 1}: ${held} held, ${failed} failed; ${figures}`)
  return failed === 0 && isEnough ? 0 : 1
}

/** Loads the table of mutants only if it is needed. */
async function countReached() {
  const { countReachedRules } = await import('./reached/count-reached.ts')
  return countReachedRules(values.reached ?? null)
}

function tell(outcome: Outcome): void {
  const { seed, failure, hash, happened, simulatedSeconds, restSeconds, faults, turns } = outcome
  const figures = [
    `${happened} steps`,
    `${faults.length} faults`,
    `${turns.asleep} times asleep, ${turns.awake} awake`,
    `${Math.round(simulatedSeconds)} s simulated`,
    `at rest after ${Math.round(restSeconds)} s`,
  ].join(', ')
  console.log(`${failure === null ? 'held  ' : 'FAILED'} ${seed}  ${hash.slice(0, 12)}  ${figures}`)
  if (failure !== null) console.log(`  ${failure}`)
}

async function explain(failed: Outcome, again: RunSeed): Promise<void> {
  const { seed } = failed
  const { outcome } = await shrink(failed, (withoutFaults) =>
    again({ seed, withoutFaults: [...withoutFaults], isLiveness: values.liveness }),
  )
  console.log(`  with ${outcome.faults.length} faults: ${outcome.failure}`)
  for (const fault of outcome.faults) console.log(`    ${fault}`)
  console.log(`  again: ${commandOf(seed)} --trace`)
}

function commandOf(seed: number): string {
  return `npm run test:simulation -- --seeds 1 --from ${seed}${values.liveness ? ' --liveness' : ''}`
}

function listSeeds(counted: { readonly otherwise: number } = { otherwise: 10 }): readonly number[] {
  const from = countOf('from')
  return Array.from({ length: countOf('seeds', counted) }, (_, at) => from + at)
}

function countOf(
  option: 'seeds' | 'from' | 'workers' | 'steps',
  { most = 1e9, otherwise = 1 }: { readonly most?: number; readonly otherwise?: number } = {},
): number {
  const text = values[option] ?? String(otherwise)
  const count = Number(text)
  if (!/^\d+$/.test(text) || count < 1 || count > most)
    throw new Error(`--${option} is ${JSON.stringify(text)}: must be a whole number from 1 to ${most}`)
  return count
}
