import { setTimeout as delay } from 'node:timers/promises'
import type { Devnet } from '../devnet/devnet.ts'
import type { Market } from '../support/market.ts'
import { KILLS, killAndStart, killPonder } from '../support/process-kills.ts'
import type { RpcFate, RpcProxy } from '../support/rpc-proxy.ts'
import { query } from '../support/scenario.ts'
import type { Random } from '../support/seeded-random.ts'

/** What may go wrong, and with whom. */
export type FaultContext = {
  readonly devnet: Devnet
  readonly market: Market
  /** Before the nodes, as the daemon sees them. */
  readonly proxies: readonly RpcProxy[]
  readonly random: Random
}

/** Something that goes wrong; it resolves when it is over. */
export type Mishap = { readonly name: string; readonly happen: (place: FaultContext) => Promise<void> }

/** Shorter than what takes a node for lost, longer than any request waits. */
const NODE_FAILS_MS = 20_000

/** In turn, one each minute; each is over within a minute on a machine that is not overloaded. */
export const MISHAPS: readonly Mishap[] = [
  {
    name: 'the daemon is killed',
    happen: ({ devnet }) => killAndStart(devnet.indexer),
  },
  {
    name: 'the API is killed',
    happen: ({ devnet }) => killAndStart(devnet.api),
  },
  {
    name: 'a node answers nothing',
    happen: (stage) => failNode(stage, 'hang'),
  },
  {
    name: 'a Ponder is killed',
    happen: ({ devnet, random }) => killPonder(devnet, random.pick),
  },
  {
    name: 'PostgreSQL is killed and started again',
    happen: ({ devnet }) => KILLS.PostgreSQL(devnet),
  },
  {
    name: 'a node refuses',
    happen: (stage) => failNode(stage, 'error'),
  },
  {
    name: 'every other session of PostgreSQL is ended',
    happen: async ({ devnet }) => {
      await query(
        devnet,
        // Who may end a session: its own role, or the owner of the database's superuser.
        (sql) => sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where usename = current_user and pid <> pg_backend_pid() and pid % 2 = 0`,
        'daemon',
      )
    },
  },
  { name: 'base is reorganized', happen: ({ market }) => market.reorganize() },
]

/** One node treats every request so for a while. */
async function failNode({ proxies, random }: FaultContext, fate: RpcFate): Promise<void> {
  const proxy = random.pick(proxies)
  proxy.rule(() => fate)
  await delay(NODE_FAILS_MS)
  proxy.rule(() => 'pass')
}
