import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Random } from '../support/seeded-random.ts'
import { createRandomStream } from './engine/chance.ts'
import { drawApi } from './plan-api.ts'
import { withArc } from './plan-arc.ts'
import { NO_CLAIMS, withClaims } from './plan-claims.ts'
import { withCommands } from './plan-commands.ts'
import { NO_ESCROW, withEscrow } from './plan-escrow.ts'
import {
  drawGaps,
  drawLies,
  drawOmission,
  drawOrder,
  drawTrouble,
  moveNodes,
  withATruth,
} from './plan-faults.ts'
import { withEveryLoss, withLosses } from './plan-for-good.ts'
import { withForks } from './plan-forks.ts'
import { NO_REPAIRS, withQuarantines, withRepairs } from './plan-repairs.ts'
import { drawSandbox } from './plan-sandbox.ts'
import { NO_SIGNATURES, withSignatures } from './plan-signatures.ts'
import { shiftCharge, withSleep } from './plan-sleep.ts'
import { withStrikes } from './plan-strikes.ts'
import { withTron } from './plan-tron.ts'
import { withLongTrusts } from './plan-trusts.ts'
import type { Plan, PlannedCharge, PlannedCheck, PlannedPayment } from './plan-types.ts'
import { DEPLOYMENTS, NODES_PER_CHAIN, ORGANIZATIONS, withNodes } from './world.ts'

const TROUBLED_MS = 50_000

/**
 * Draws the plan of a seed. A tenth of the seeds have no faults, except killed daemons if networks sleep.
 *
 * @param options.isLiveness - whether a daemon and a node of each chain are lost permanently (`plan-for-good.ts`)
 */
export function drawPlan(seed: number, { isLiveness = false } = {}): Plan {
  const first = withArc(createRandomStream(seed, 'arc'), drawFirstPlan(seed, isLiveness))
  return withClaims(createRandomStream(seed, 'claims'), withTron(createRandomStream(seed, 'tron'), first))
}

function drawFirstPlan(seed: number, isLiveness: boolean): Plan {
  const random = createRandomStream(seed, 'plan')
  const deployments = DEPLOYMENTS.slice(0, random.pick([1, 1, 2, 3]))
  const clocks = createRandomStream(seed, 'clocks')
  const aheadMs = new Map(
    deployments.map(({ chainId }) => [chainId, clocks.pick([0, 0, 0, 4_000, 12_000, -6_000])]),
  )
  const isPeaceful = random.fraction() < 0.1
  const some = <Item>(most: number, draw: () => Item) =>
    Array.from({ length: isPeaceful ? 0 : random.integer(most) }, draw)
  const rate = (most: number) => (isPeaceful || random.fraction() < 0.3 ? 0 : most * random.fraction())
  const plan: Plan = {
    ...{ deployments, aheadMs, troubledMs: TROUBLED_MS, sleep: null, losses: [], commands: [] },
    ...{ ...NO_ESCROW, ...NO_SIGNATURES, ...NO_CLAIMS, ...NO_REPAIRS },
    latenessMs: random.pick([3_000, 8_000, 15_000]),
    ...{ daemons: random.pick([1, 1, 2]), connections: random.pick([2, 3, 3, 6]) },
    charges: Array.from({ length: 1 + random.integer(4) }, () => drawCharge(random, deployments)).map(
      (charge, index) => drawDeadline(createRandomStream(seed, `deadline ${index}`), { charge, aheadMs }),
    ),
    troubles: some(8, () => drawTrouble(random, { deployments, troubledMs: TROUBLED_MS })).map(
      (trouble, index) => drawOmission(createRandomStream(seed, `omission ${index}`), trouble),
    ),
    orders: some(2, () => drawOrder(random, { deployments, troubledMs: TROUBLED_MS })),
    rates: { lost: rate(0.004), late: rate(0.01), crash: rate(0.001), unreachable: rate(0.05) },
    api: drawApi(createRandomStream(seed, 'api'), isPeaceful),
    sandbox: drawSandbox(createRandomStream(seed, 'sandbox'), TROUBLED_MS),
  }
  const gaps = createRandomStream(seed, 'gaps')
  const drawn = isPeaceful || gaps.fraction() >= 0.1 ? plan : withGaps(gaps, plan)
  const placed = withMoreNodes(createRandomStream(seed, 'nodes'), drawn)
  const lying = isPeaceful ? placed : withLies(createRandomStream(seed, 'lies'), placed)
  const sleepy = withSleep(createRandomStream(seed, 'sleep'), lying)
  const held = withEscrow(createRandomStream(seed, 'escrow'), sleepy)
  const signed = withSignatures(createRandomStream(seed, 'signatures'), held)
  const troubled = { ...signed, troubles: withATruth(signed.troubles) }
  const forGood = createRandomStream(seed, 'for good')
  if (isPeaceful && !isLiveness) return troubled
  const lossless = isLiveness ? withEveryLoss(forGood, troubled) : withLosses(forGood, troubled)
  const lossy = withCommands(createRandomStream(seed, 'commands'), lossless)
  const trusting = withLongTrusts(createRandomStream(seed, 'long trusts'), lossy)
  const struck = withStrikes(createRandomStream(seed, 'strikes'), trusting)
  const repaired = withRepairs(createRandomStream(seed, 'repairs'), struck)
  const halted = withQuarantines(createRandomStream(seed, 'quarantines'), repaired)
  const forked = withForks(createRandomStream(seed, 'forks'), halted)
  return forked.losses.length === 0
    ? forked
    : withLastCharges(createRandomStream(seed, 'last charges'), forked)
}

/**
 * Gives a third of all chains a third node, and moves the faults that were drawn for two nodes to any of the three.
 */
function withMoreNodes(random: Random, plan: Plan): Plan {
  return plan.deployments.reduce((drawn, deployment) => {
    const { chainId } = deployment
    const of = NODES_PER_CHAIN + random.pick([0, 0, 1])
    const by = random.integer(of)
    const placed = withNodes(deployment, of)
    return of === NODES_PER_CHAIN
      ? drawn
      : {
          ...drawn,
          deployments: drawn.deployments.map((one) => (one === deployment ? placed : one)),
          troubles: moveNodes(drawn.troubles, { chainId, by, of }),
        }
  }, plan)
}

/**
 * Adds a lying node to half of all histories. The lies are last in the list, so that the other disturbances keep
 * their numbers.
 */
function withLies(random: Random, plan: Plan): Plan {
  if (random.fraction() < 0.5) return plan
  const deployment = random.pick(plan.deployments)
  const lies = drawLies(random, { deployment, troubledMs: plan.troubledMs })
  return { ...plan, troubles: [...plan.troubles, ...lies] }
}

/** Adds a node that always omits some logs, and divides each payment into several transfers. */
function withGaps(random: Random, plan: Plan): Plan {
  const charges = plan.charges.map((charge) => ({
    ...charge,
    payments: charge.payments.map((payment) => ({ ...payment, isDivided: true })),
  }))
  return { ...plan, charges, troubles: [...plan.troubles, drawGaps(random, plan)] }
}

function withLastCharges(random: Random, plan: Plan): Plan {
  const last = Array.from({ length: 1 + random.integer(2) }, () => ({
    ...drawCharge(random, plan.deployments),
    endsOnSecond: random.fraction() < 0.5,
  }))
  return { ...plan, charges: [...plan.charges, ...last.map((one) => shiftCharge(one, plan.troubledMs))] }
}

type Deadline = {
  readonly charge: Omit<PlannedCharge, 'endsOnSecond'>
  readonly aheadMs: ReadonlyMap<number, number>
}

/** Moves three of ten payments close to the deadline, and ends half of the charges on a whole second. */
function drawDeadline(random: Random, { charge, aheadMs }: Deadline): PlannedCharge {
  const payments = charge.payments.map((payment) => {
    const endMs = charge.atMs + charge.expiresInMs - (aheadMs.get(payment.chainId) ?? 0)
    return random.fraction() < 0.3 ? { ...payment, atMs: endMs + 1_000 - random.integer(5_000) } : payment
  })
  return { ...charge, payments, endsOnSecond: random.fraction() < 0.5 }
}

function drawCharge(
  random: Random,
  deployments: readonly IndexerDeployment[],
): Omit<PlannedCharge, 'endsOnSecond'> {
  const environments = new Set(deployments.map(({ environment }) => environment))
  const organizations = ORGANIZATIONS.filter(({ environment }) => environments.has(environment))
  const atMs = 1_000 + random.integer(12_000)
  const expiresInMs = 15_000 + random.integer(30_000)
  const count = random.pick([0, 1, 1, 1, 2, 3])
  const share = random.pick([1, 1, 1 / count || 1, 0.4, 1.5])
  const payment = (): PlannedPayment => {
    const { chainId, tokens } = random.pick(deployments)
    return {
      ...{ atMs: atMs + 500 + random.integer(expiresInMs + 10_000), share, chainId },
      ...{ tokenIndex: random.integer(tokens.length), isDivided: random.fraction() < 0.2 },
    }
  }
  const check = (): PlannedCheck => ({
    atMs: atMs + 2_000 + random.integer(expiresInMs + 10_000),
    paymentIndex: count > 0 && random.fraction() < 0.5 ? random.integer(count) : null,
  })
  return {
    ...{ atMs, expiresInMs, amountMicro: BigInt(2 + random.integer(50)) * 1_000_000n + 1n },
    organizationIndex: ORGANIZATIONS.indexOf(random.pick(organizations)),
    hasPartner: random.fraction() < 0.5,
    payments: Array.from({ length: count }, payment),
    checks: Array.from({ length: random.pick([0, 0, 1, 2]) }, check),
    keeperAtMs: random.fraction() < 0.4 ? atMs + 8_000 + random.integer(30_000) : null,
  }
}
