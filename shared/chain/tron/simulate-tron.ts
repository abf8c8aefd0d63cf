import { getContractError, type Hex, RawContractError, toEventSelector } from 'viem'
import type { Address } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/chain-families/tron/address.ts'
import type { Contract, SimulatedCall } from '../nodes/simulate.ts'
import { getObject, isCount } from './read-tron.ts'
import { type TronNode, TronNodeError, type TronResponse } from './tron-node.ts'

type TronCallBytes = { readonly to: Address; readonly data: Hex; readonly account: Address }

/**
 * The likely energy in percent of the simulated energy. The cost may change before the call runs. For example, a
 * transfer to a recipient whose balance has become zero costs twice as much.
 */
const MARGIN_PERCENT = 125n

/**
 * Energy that must remain during every payout, although a successful payout does not use it: the split reserves the
 * cost of holding a share (contracts/src/tron/TronPaymentSplit.sol, HOLDING_ENERGY).
 */
const HOLDING_ENERGY = 100_000n

/**
 * Minimum energy limit of a payout whose failure the split accepts. If a payout fails with less, the split does not
 * hold the share. It attributes the failure to a lack of energy and reverts (see PAYOUT_ENERGY in the same contract).
 */
const FAILED_PAYOUT_ENERGY = 1_000_000n

const PAYOUT_HELD = toEventSelector('PayoutHeld(address,address,uint256)').slice(2)

export type SimulatedTronCall = SimulatedCall & {
  /** The energy that the call will probably burn: the simulated use plus a quarter. */
  readonly likelyEnergy: bigint
}

/**
 * Simulates a call at the newest block with exactly the bytes that will be signed, and returns them with their energy
 * limit: the likely energy and the reserve that the split requires.
 *
 * @throws {BaseError} from viem if the call would revert (see `findRevert`); `TronNodeError` if the node does not
 * respond, or its response is unusable
 */
export async function simulateTron(
  node: TronNode,
  { to, data, account }: TronCallBytes,
  contract: Contract,
): Promise<SimulatedTronCall> {
  const answer = await node.ask('wallet/triggerconstantcontract', {
    ...{ owner_address: formatTronAddress(account), contract_address: formatTronAddress(to) },
    ...{ data: data.slice(2), call_value: 0, visible: true },
  })
  // `result` only means that the node could run the call, not that it succeeded. It is false if there is no contract.
  if (getObject(answer['result'])['result'] !== true)
    throw new TronNodeError(node, `cannot run a call to ${formatTronAddress(to)}`)
  if (hasFailed(answer)) {
    const revert = new RawContractError({ data: returnedBy(answer), message: 'execution reverted' })
    const explained: Error = getContractError(revert, { ...contract, args: [], address: to, sender: account })
    throw explained
  }
  const likelyEnergy = getLikelyEnergy(node, answer)
  return { to, data, likelyEnergy, gas: likelyEnergy + getReserveEnergy(answer) }
}

export function hasFailed({ transaction, result }: TronResponse): boolean {
  const { ret } = getObject(transaction)
  const [outcome] = Array.isArray(ret) ? ret : []
  return getObject(outcome)['ret'] === 'FAILED' || getObject(result)['message'] !== undefined
}

/** Returns the call's return or revert data, truncated to 1,000 bytes, which is longer than our longest error. */
export function returnedBy({ constant_result: results }: TronResponse): Hex {
  const [bytes] = Array.isArray(results) ? results : []
  return typeof bytes === 'string' && /^([0-9a-f]{2})*$/.test(bytes) ? `0x${bytes.slice(0, 2_000)}` : '0x'
}

/**
 * Returns the likely energy of the call, with a margin. `energy_used` already includes the penalty of a busy contract
 * (`energy_penalty`), because java-tron's VM spends both together (`Program.spendEnergyWithPenalty`). When
 * the penalty was added again, the fee limit of a contract with an energy factor of 3.4 rose from 44 to 62 TRX.
 */
function getLikelyEnergy(node: TronNode, { energy_used: used }: TronResponse): bigint {
  if (!isCount(used)) throw new TronNodeError(node, 'returned no energy')
  return (BigInt(used) * MARGIN_PERCENT) / 100n
}

function getReserveEnergy({ logs }: TronResponse): bigint {
  return HOLDING_ENERGY + (holdsNothing(logs) ? 0n : FAILED_PAYOUT_ENERGY)
}

/**
 * Returns whether the logs prove that no share is held. Older nodes return no logs for simulated calls, so missing logs
 * are no proof.
 */
function holdsNothing(logs: unknown): boolean {
  return Array.isArray(logs) && !logs.some((log) => String(getObject(log)['topics']).startsWith(PAYOUT_HELD))
}
