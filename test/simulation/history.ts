import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Random } from '../support/seeded-random.ts'
import { type Parts, planTrouble } from './bring-trouble.ts'
import { createRandomStream } from './engine/chance.ts'
import { getPonderSchema, type SimulatedDatabase } from './engine/database.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { follow } from './follow.ts'
import { type LoggedToken, listLoggedTokens } from './logged-token.ts'
import { ARC_USDC, FUNDS } from './model/arc.ts'
import { createChain } from './model/chain.ts'
import type { Target } from './model/lie-kinds.ts'
import type { ModelNode } from './model/model-node.ts'
import { createPonder } from './model/ponder.ts'
import { createReceivers } from './model/receivers.ts'
import { act, planPayments } from './payments.ts'
import type { Plan, PlannedCharge } from './plan-types.ts'
import { prepareFeed } from './prepare-feed.ts'
import { installTurnFaults } from './quarantines.ts'
import type { Scene } from './scene.ts'
import {
  arrangeClaims,
  arrangeTron,
  BLOCK_MS,
  FINALITY_BLOCKS,
  FUNDED,
  PAYER,
  REFUND_WALLET,
  SECOND_PAYER,
  SIGNING_PAYER,
  START_MS,
  STRANGER,
} from './world.ts'

export type History = Awaited<ReturnType<typeof createHistory>>

type Terms = { readonly scheduler: Scheduler; readonly database: SimulatedDatabase; readonly plan: Plan }

/**
 * Creates the world around the service: chains that produce blocks, payers, issuers, merchants' endpoints, and the
 * disturbances that affect them.
 */
export async function createHistory({ scheduler, database, plan }: Terms) {
  const { seed } = scheduler
  if (plan.deployments.some(({ family }) => family === 'tron')) await arrangeTron(database.sql)
  if (plan.claims.size > 0) await arrangeClaims(database.sql)
  if (plan.quarantines.length > 0) await installTurnFaults(database.sql)
  const receivers = createReceivers(scheduler)
  const scenes = new Map<number, Scene>()
  for (const deployment of plan.deployments)
    scenes.set(deployment.chainId, await createScene({ seed, database, deployment, plan }))
  let look = () => Promise.resolve()
  const beforeBlock = () => look()
  for (const scene of scenes.values()) goOn({ scheduler, beforeBlock }, scene)
  const targets: Target[] = []
  for (const [index, trouble] of plan.troubles.entries())
    planTrouble({ scheduler, scenes, receivers, targets, beforeBlock }, trouble, index)

  return {
    scenes,
    receivers,
    listTargets: (): readonly Target[] => targets,
    /**
     * Sets the check that runs before each new block and each reorganization, while the chain still has the state that
     * the service could observe.
     */
    beforeEachBlock: (looker: () => Promise<void>) => {
      look = looker
    },
    /** Plans the payments of a charge. Returns the hints with which a check can find them. */
    planPayments: (charge: ChargeRecord, planned: PlannedCharge, index: number) => {
      targets.push(charge)
      return planPayments({ scheduler, scenes }, { charge, planned, index })
    },
    heal: () => {
      receivers.heal()
      for (const { nodes, chain, deployment } of scenes.values()) {
        for (const node of nodes) Object.assign(node, { mode: 'well', lie: null })
        chain.send(
          act(`heal ${deployment.chainId}`, (state) => {
            state.frozen.clear()
            state.paused.clear()
            return []
          }),
        )
      }
    },
  }
}

/**
 * Blocks mined before the start of a history in which networks sleep, so that the feed of a network that wakes does not
 * start with the chain's first block.
 */
const EARLIER_BLOCKS = 2 * FINALITY_BLOCKS

type SceneTerms = {
  readonly seed: number
  readonly database: SimulatedDatabase
  readonly deployment: IndexerDeployment
  readonly plan: Plan
}

async function createScene({ seed, database, deployment, plan }: SceneTerms): Promise<Scene> {
  const { chainId, rpcUrls } = deployment
  const random = createRandomStream(seed, `chain ${chainId}`)
  const aheadMs = plan.aheadMs.get(chainId) ?? 0
  const earlier = plan.sleep === null ? 0 : EARLIER_BLOCKS
  const startMs = START_MS - earlier * BLOCK_MS
  const { confirmations } = deployment
  const chain = createChain({
    ...{ chainId, confirmations, random, startMs, aheadMs },
    isTron: deployment.family === 'tron',
  })
  const loggedTokens = listLoggedTokens(deployment)
  const tokens = deployment.tokens.map(({ restriction, authorization }, index) => ({
    ...(loggedTokens[index] as LoggedToken),
    ...{ restriction: restriction?.selector ?? null, domain: authorization ?? null },
  }))
  for (const { address } of tokens)
    for (const holder of [PAYER, REFUND_WALLET, SECOND_PAYER, STRANGER, SIGNING_PAYER])
      chain.tip().state.balances.set(`${address}/${holder}`, 10n ** 40n)
  if (deployment.network === 'arc')
    for (const account of FUNDED) chain.tip().state.balances.set(`${ARC_USDC}/${account}`, FUNDS)
  for (let mined = 1; mined <= earlier; mined += 1) chain.mine(startMs + mined * BLOCK_MS)
  const nodes = rpcUrls.map(
    (url): ModelNode => ({
      ...{
        url,
        chain,
        tokens,
        head: chain.tip(),
        mode: 'well',
        lie: null,
        answered: { second: 0, count: 0 },
      },
    }),
  )
  const ponder = await createPonder({
    ...{ sql: database.ponderSql, schema: getPonderSchema(chainId), chainId, nodes },
    finalityBlocks: FINALITY_BLOCKS,
  })
  await prepareFeed(database.sql, { deployment, headNumber: chain.tip().number, sleep: plan.sleep })
  if (plan.repairs.some((one) => one.chainId === chainId && one.fault === 'begins on another chain'))
    await ponder.fail('begins on another chain', () => [])
  if (plan.sleep?.asleep.includes(chainId)) ponder.stop()
  return { deployment, chain, nodes, ponder }
}

/** Starts block production, the nodes that follow the chain, and the polls of Ponder. */
function goOn(
  { scheduler, beforeBlock }: Pick<Parts, 'scheduler' | 'beforeBlock'>,
  { deployment, chain, nodes, ponder }: Scene,
): void {
  const { chainId } = deployment
  const random = createRandomStream(scheduler.seed, `pace ${chainId}`)
  const plan = (label: string, delayMs: number, run: () => void | Promise<void>) =>
    void scheduler.later({ delayMs, process: null, label: `${chainId} ${label}`, run })
  const mine = async () => {
    await beforeBlock()
    chain.mine(scheduler.nowMs(), scheduler.isCalm() ? 1 : random.pick([0.5, 1, 1]))
    follow(scheduler, { chain, nodes, random })
    plan('mines', paceOf(scheduler, random), mine)
  }
  const poll = async () => {
    const isMore = await ponder.step()
    plan('ponder', isMore ? 20 : paceOf(scheduler, random) / 2, poll)
  }
  plan('mines', random.integer(BLOCK_MS), mine)
  plan('ponder', random.integer(BLOCK_MS), poll)
}

/** Returns the time until the next step of a chain. Steps are larger after the faults have ended. */
function paceOf(scheduler: Scheduler, random: Random): number {
  return scheduler.isCalm()
    ? Math.min(20 * BLOCK_MS, scheduler.calmStepMs())
    : BLOCK_MS / 2 + random.integer(BLOCK_MS)
}
