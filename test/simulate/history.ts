import type { Address } from '../../shared/domain/address.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'
import type { Random } from '../support/seeded-random.ts'
import { streamOf } from './engine/chance.ts'
import { ponderSchemaOf, type SimulatedDatabase } from './engine/database.ts'
import type { Scheduler } from './engine/scheduler.ts'
import { blockAt, createChain } from './model/chain.ts'
import type { ModelNode } from './model/node.ts'
import { createPonder } from './model/ponder.ts'
import { createReceivers, type Receivers } from './model/receivers.ts'
import type { State } from './model/state.ts'
import { act, planPayments } from './payments.ts'
import type { Plan, PlannedCharge } from './plan.ts'
import type { PlannedTrouble, Whom } from './plan-troubles.ts'
import type { Scene } from './scene.ts'
import {
  BLOCK_MS,
  CONFIRMATIONS,
  FINALITY_BLOCKS,
  ORGANIZATIONS,
  PARTNER,
  PAYER,
  RELAYER,
  START_MS,
  TREASURY,
} from './world.ts'

export type History = Awaited<ReturnType<typeof createHistory>>

type Terms = { readonly scheduler: Scheduler; readonly database: SimulatedDatabase; readonly plan: Plan }

/** Makes the world around the service: chains that go on, people who pay and pause, and what goes wrong with them. */
export async function createHistory({ scheduler, database, plan }: Terms) {
  const { seed } = scheduler
  const receivers = createReceivers(scheduler)
  const scenes = new Map<number, Scene>()
  for (const deployment of plan.deployments)
    scenes.set(deployment.chainId, await createScene({ seed, database, deployment, plan }))
  let look = () => Promise.resolve()
  const beforeBlock = () => look()
  for (const scene of scenes.values()) goOn({ scheduler, beforeBlock }, scene)
  const splits: Address[] = []
  for (const [index, trouble] of plan.troubles.entries())
    planTrouble({ scheduler, scenes, receivers, splits, beforeBlock }, trouble, index)

  return {
    scenes,
    receivers,
    /** Before a chain has another block, somebody looks at what the service made of those that there are. */
    beforeEachBlock: (looker: () => Promise<void>) => {
      look = looker
    },
    /** What is paid for a charge once it is made. */
    planPayments: (charge: ChargeRecord, planned: PlannedCharge, index: number) => {
      splits.push(charge.splitAddress)
      return planPayments({ scheduler, scenes }, { charge, planned, index })
    },
    /** Everything works again. */
    heal: () => {
      receivers.heal()
      for (const { nodes, chain, deployment } of scenes.values()) {
        for (const node of nodes) node.mode = 'well'
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

type SceneTerms = {
  readonly seed: number
  readonly database: SimulatedDatabase
  readonly deployment: IndexerDeployment
  readonly plan: Plan
}

async function createScene({ seed, database, deployment, plan }: SceneTerms): Promise<Scene> {
  const { chainId, rpcUrls } = deployment
  const random = streamOf(seed, `chain ${chainId}`)
  const aheadMs = plan.aheadMs.get(chainId) ?? 0
  const chain = createChain({ chainId, confirmations: CONFIRMATIONS, random, startMs: START_MS, aheadMs })
  const tokens = deployment.tokens.map(({ address, decimals, restriction }) => ({
    ...{ address, decimals, restriction: restriction?.selector ?? null },
  }))
  for (const { address } of tokens) chain.tip().state.balances.set(`${address}/${PAYER}`, 10n ** 40n)
  const nodes = rpcUrls.map(
    (url): ModelNode => ({
      ...{ url, chain, tokens, head: chain.tip(), mode: 'well', answered: { second: 0, count: 0 } },
    }),
  )
  const ponder = await createPonder({
    ...{ sql: database.ponderSql, schema: ponderSchemaOf(chainId), chainId, nodes },
    finalityBlocks: FINALITY_BLOCKS,
  })
  return { deployment, chain, nodes, ponder }
}

/** Blocks are made, nodes follow, and Ponder asks its node. */
function goOn(
  { scheduler, beforeBlock }: Pick<Parts, 'scheduler' | 'beforeBlock'>,
  { deployment, chain, nodes, ponder }: Scene,
): void {
  const { chainId } = deployment
  const random = streamOf(scheduler.seed, `pace ${chainId}`)
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

/** When everything works, time passes in larger steps. */
function paceOf(scheduler: Scheduler, random: Random): number {
  return scheduler.isCalm()
    ? Math.min(20 * BLOCK_MS, scheduler.calmStepMs())
    : BLOCK_MS / 2 + random.integer(BLOCK_MS)
}

/** Of a node that lags: more than a payment needs to count, so that what it has is never news. */
const BLOCKS_BEHIND = 5

type Following = Pick<Scene, 'chain' | 'nodes'> & { readonly random: Random }

function follow(scheduler: Scheduler, { chain, nodes, random }: Following): void {
  for (const node of nodes) {
    const head = chain.tip()
    const run = () => {
      if (node.mode === 'stuck') return
      node.head = node.mode === 'behind' ? (blockAt(head, head.number - BLOCKS_BEHIND) ?? node.head) : head
    }
    const delayMs = random.fraction() < 0.1 ? random.integer(4_000) : random.integer(300)
    scheduler.later({ delayMs, process: null, label: `${new URL(node.url).host} at ${head.number}`, run })
  }
}

type Parts = {
  readonly scheduler: Scheduler
  readonly scenes: ReadonlyMap<number, Scene>
  readonly receivers: Receivers
  /** Of the charges that were made. */
  readonly splits: readonly Address[]
  readonly beforeBlock: () => Promise<void>
}

/** Each trouble is a fault: without it, the rest of the plan is as it was. */
function planTrouble(
  { scheduler, scenes, receivers, splits, beforeBlock }: Parts,
  trouble: PlannedTrouble,
  index: number,
): void {
  const scene = scenes.get(trouble.chainId)
  if (scene === undefined) return
  const { chain, nodes, ponder } = scene
  const random = streamOf(scheduler.seed, `trouble ${index}`)
  const name = `${trouble.kind} of ${trouble.chainId}`
  const later = (delayMs: number, label: string, run: () => void | Promise<void>) =>
    void scheduler.later({ delayMs, process: null, label, run })
  const begin = (run: () => void | Promise<void>) =>
    later(trouble.atMs, name, () => (scheduler.meets('trouble', `${index} ${name}`, 1) ? run() : undefined))
  const end = (run: () => void) => later(trouble.atMs + trouble.forMs, `end of ${name}`, run)
  switch (trouble.kind) {
    case 'reorganization':
      begin(async () => {
        await beforeBlock()
        // Payers spend the money elsewhere, and nodes forget what waits.
        const lost = () => random.fraction() < trouble.lost
        chain.reorganize(scheduler.nowMs(), { depth: trouble.depth, lost })
        follow(scheduler, { chain, nodes, random })
      })
      break
    case 'node': {
      const node = nodes[trouble.nodeIndex]
      if (node === undefined) return
      begin(() => {
        node.mode = trouble.mode
      })
      end(() => {
        node.mode = 'well'
      })
      break
    }
    case 'ponder restart':
      begin(() => ponder.restart())
      break
    case 'endpoint': {
      const url = ORGANIZATIONS[trouble.organizationIndex]?.url ?? ''
      begin(() => receivers.setMode(url, trouble.mode))
      end(() => receivers.setMode(url, 'well'))
      break
    }
    case 'freeze':
    case 'pause': {
      const tokens = scene.deployment.tokens.map(({ address }) => address)
      const restrict = (state: State, isOn: boolean) => {
        for (const token of tokens) {
          if (trouble.kind === 'pause') state.paused[isOn ? 'add' : 'delete'](token)
          else
            for (const account of accountsOf(trouble.whom, splits))
              state.frozen[isOn ? 'add' : 'delete'](`${token}/${account}`)
        }
        return []
      }
      begin(() => chain.send(act(`${index} on`, (state) => restrict(state, true))))
      end(() => chain.send(act(`${index} off`, (state) => restrict(state, false))))
    }
  }
}

function accountsOf(whom: Whom, splits: readonly Address[]): readonly Address[] {
  switch (whom) {
    case 'merchant':
      return ORGANIZATIONS.map(({ merchant }) => merchant)
    case 'partner':
      return [PARTNER]
    case 'treasury':
      return [TREASURY]
    case 'relayer':
      return [RELAYER]
    case 'split':
      return splits
  }
}
