import type { ChainNodes } from '../../shared/chain/nodes/chain-nodes.ts'
import { querySimulation } from '../../shared/chain/nodes/query-simulation.ts'
import { type SimulatedCall, simulateCall } from '../../shared/chain/nodes/simulate.ts'
import type { EvmRelayer } from './evm-relayer.ts'
import { getGasLimit } from './quote-data-fee.ts'
import type { Relayer, SendBlocker } from './relayer.ts'
import type { RelayerQuote } from './relayer-context.ts'

type Bounds = {
  readonly nodes: ChainNodes
  /** Maximum gas for running a call. On chains where posting to L1 is paid in gas, that gas is added to this limit. */
  readonly maxGas: bigint
}

/** Wraps an EVM relayer in the interface that payouts use on every chain family. */
export function toRelayer(evm: EvmRelayer, { nodes, maxGas }: Bounds): Relayer {
  const { address, countFree, turn } = evm
  return {
    ...{ address, countFree, turn },
    simulate: ({ isDoubted, ...call }, contract) =>
      querySimulation(nodes, {
        ...{ maxGas, isDoubted },
        simulate: ({ client }) => simulateCall(client, { ...call, account: address }, contract),
      }),
    quote: async (call) => {
      const quote = await evm.quote(call)
      return {
        obstacle: findObstacle(call, quote, maxGas),
        sign: async (db, purpose) => {
          const stored = await evm.sign(db, { ...call, ...purpose }, quote)
          return stored && { txHash: stored.txHash, broadcast: () => evm.broadcast(stored) }
        },
      }
    },
  }
}

/** Excessive gas fails the attempt. A high posting cost is temporary, like other prices. */
function findObstacle(call: SimulatedCall, { dataFee }: RelayerQuote, maxGas: bigint): SendBlocker | null {
  if (!dataFee.isWithinBound)
    return { type: 'dear', error: 'posting the call to L1 costs more than our bound now' }
  const limit = getGasLimit(maxGas, dataFee)
  if (call.gas <= limit) return null
  return { type: 'excessive', error: `gas ${call.gas} is above the limit ${limit}` }
}
