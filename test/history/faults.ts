import { setTimeout as delay } from 'node:timers/promises'
import type { Service } from '../devnet/service.ts'
import type { DishonestNode, NodeFault } from '../support/dishonest-node/dishonest-node.ts'
import { LIE_ABOUT_EVERYTHING } from '../support/dishonest-node/every-lie.ts'
import { KILLS, killAndStart, killPonder } from '../support/process-kills.ts'
import { testClient } from '../support/scenario.ts'
import type { Random } from '../support/seeded-random.ts'
import type { Endpoint } from './clients/endpoint.ts'
import { CONFIRMATIONS, type Stage } from './stage.ts'

export type FaultContext = {
  readonly stage: Stage
  readonly endpoints: readonly Endpoint[]
  readonly random: Random
}

/** A fault. `happen` resolves once the fault has ended. */
export type Fault = { readonly name: string; readonly happen: (context: FaultContext) => Promise<void> }

/**
 * Duration of a node fault, a suspended process or rejected webhooks. It exceeds the timeout of every request to a node
 * or an endpoint.
 */
const LASTS_MS = 15_000

/** The faults happen in this order, again and again. The seed determines the first fault. */
export const FAULTS: readonly Fault[] = [
  { name: 'the daemon is killed', happen: ({ stage }) => killAndStart(stage.devnet.indexer) },
  { name: 'base is reorganized', happen: reorganize },
  { name: 'the API is killed', happen: ({ stage }) => killAndStart(stage.devnet.api) },
  { name: 'one node of three lies', happen: (context) => failNode(context, 'base', LIES) },
  { name: 'the daemon is suspended and resumed', happen: ({ stage }) => suspend(stage.devnet.indexer) },
  { name: 'PostgreSQL is killed and started again', happen: ({ stage }) => KILLS.PostgreSQL(stage.devnet) },
  { name: 'the endpoints reject webhooks', happen: rejectWebhooks },
  { name: 'one node of two does not respond', happen: (context) => failNode(context, 'bnb', HANGS) },
  { name: 'a Ponder is killed', happen: ({ stage, random }) => killPonder(stage.devnet, random.pick) },
  { name: 'the API is suspended and resumed', happen: ({ stage }) => suspend(stage.devnet.api) },
  {
    name: 'one node of three rejects every request',
    happen: (context) => failNode(context, 'base', { type: 'dies' }),
  },
  { name: 'one node of two reports no new blocks', happen: (context) => failNode(context, 'bnb', FREEZES) },
]

const LIES: NodeFault = { type: 'lies', lie: LIE_ABOUT_EVERYTHING }
const HANGS: NodeFault = { type: 'hangs' }
const FREEZES: NodeFault = { type: 'freezes' }

async function failNode(
  { stage, random }: FaultContext,
  network: keyof Stage['nodes'],
  fault: NodeFault,
): Promise<void> {
  const node: DishonestNode = random.pick(stage.nodes[network])
  await node.setFault(fault)
  await delay(LASTS_MS)
  await node.setFault(null)
}

/** Replaces the latest blocks, at most `CONFIRMATIONS - 1`, with empty blocks, and drops their transactions. */
async function reorganize({ stage, random }: FaultContext): Promise<void> {
  const depth = 1 + random.integer(CONFIRMATIONS - 1)
  await testClient(stage.devnet, 'base').request({ method: 'anvil_reorg', params: [depth, []] } as never)
}

async function suspend(service: Service): Promise<void> {
  const pid = service.pid()
  if (pid === null) return
  process.kill(pid, 'SIGSTOP')
  try {
    await delay(LASTS_MS)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

async function rejectWebhooks({ endpoints }: FaultContext): Promise<void> {
  for (const endpoint of endpoints) endpoint.setDown(true)
  await delay(LASTS_MS)
  for (const endpoint of endpoints) endpoint.setDown(false)
}
