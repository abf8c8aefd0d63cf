import { querySimulation } from '../../../shared/chain/nodes/query-simulation.ts'
import { simulateTron } from '../../../shared/chain/tron/simulate-tron.ts'
import { countUnresolved } from '../../../shared/db/relayer/daemon/expiring-transactions.ts'
import { parseEvmAddress } from '../../../shared/domain/address.ts'
import { invariant } from '../../../shared/domain/errors.ts'
import type { Relayer } from '../relayer.ts'
import { broadcastStored } from './broadcast-stored.ts'
import { quoteTronCall } from './quote-tron-call.ts'
import { signTronTransaction } from './sign-tron-transaction.ts'
import { trackTronTransactions } from './track-tron-transactions.ts'
import type { TronContext, TronRelayerDeps } from './tron-context.ts'

/**
 * Creates the relayer of one TRON network.
 *
 * TRON has no nonces: a transaction is identified by the hash of its bytes, and any number can be pending in parallel.
 * The bytes are committed before the first broadcast. Until a quorum shows that the transaction reverted or can no
 * longer be included, no other transaction is signed for the same payout. After a crash, a drop or a fork, the same
 * bytes are therefore sent again, and at most one transaction of a payout succeeds. Any number of daemons may run a
 * relayer with the same key and database.
 */
export function createTronRelayer(deps: TronRelayerDeps): Relayer {
  const { nodes, terms } = deps
  const relayer = parseEvmAddress(deps.account.address.toLowerCase())
  invariant(relayer !== null, `${deps.account.address} is not an address`)
  const context: TronContext = { ...deps, key: { chainId: nodes.chainId, relayer } }
  return {
    address: relayer,
    countFree: async () => Math.max(0, terms.maxUnresolved - (await countUnresolved(deps.sql, context.key))),
    simulate: ({ isDoubted, ...call }, contract) =>
      querySimulation(nodes, {
        ...{ maxGas: terms.maxEnergy, isDoubted },
        simulate: (node) => simulateTron(node, { ...call, account: relayer }, contract),
      }),
    quote: async (call) => {
      const quote = await quoteTronCall(context, call)
      return {
        obstacle: quote.obstacle,
        sign: async (db, purpose) => {
          const stored = await signTronTransaction(context, db, { call, quote, purpose })
          return stored && { txHash: stored.txHash, broadcast: () => broadcastStored(context, stored) }
        },
      }
    },
    turn: () => trackTronTransactions(context),
  }
}
