import { getContractError, type Hex, RawContractError, toEventSelector } from 'viem'
import type { Address } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/families/tron/address.ts'
import type { Contract, SimulatedCall } from '../simulate.ts'
import { fieldsOf, isCount } from './read-tron.ts'
import { type TronAnswer, type TronNode, TronNodeError } from './tron-node.ts'

/** A call, as it will be signed. */
type TronCallBytes = { readonly to: Address; readonly data: Hex; readonly account: Address }

/** What may change until it runs: a recipient who has no balance any more takes twice as much. */
const MARGIN_PERCENT = 125n

/**
 * What must be left at every payout, though none takes it: the split keeps back what holding a share takes
 * (contracts/src/tron/TronPaymentSplit.sol, HOLDING_ENERGY).
 */
const HOLDING_ENERGY = 100_000n

/** What must be left where a share is held, or it was for want of energy and all is undone (there, PAYOUT_ENERGY). */
const FAILED_PAYOUT_ENERGY = 1_000_000n

const PAYOUT_HELD = toEventSelector('PayoutHeld(address,address,uint256)').slice(2)

/** A call that would succeed, and its energy. */
export type SimulatedTronCall = SimulatedCall & {
  /** Of its energy, what it is likely to burn: what it took, and a quarter more. */
  readonly likelyEnergy: bigint
}

/**
 * Simulates the very bytes that will be signed, against the newest block, and answers them with the energy they are given:
 * what they took, a quarter more, and what the split wants to have left.
 *
 * @param contract - what the call does, and whose errors it may revert with, for `revertOf`
 * @throws {BaseError} viem's, if it would revert (see `revertOf`); `TronNodeError`, if the node says nothing of use
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
  // That it could be run, not that it went well: without a contract there, say.
  if (fieldsOf(answer['result'])['result'] !== true)
    throw new TronNodeError(node, `cannot run a call of ${formatTronAddress(to)}`)
  if (hasFailed(answer)) {
    const revert = new RawContractError({ data: returnedBy(answer), message: 'execution reverted' })
    const explained: Error = getContractError(revert, { ...contract, args: [], address: to, sender: account })
    throw explained
  }
  const likelyEnergy = energyTaken(node, answer)
  return { to, data, likelyEnergy, gas: likelyEnergy + energyToLeave(answer) }
}

/** Tells whether what was tried would be undone. */
export function hasFailed({ transaction, result }: TronAnswer): boolean {
  const { ret } = fieldsOf(transaction)
  const [outcome] = Array.isArray(ret) ? ret : []
  return fieldsOf(outcome)['ret'] === 'FAILED' || fieldsOf(result)['message'] !== undefined
}

/** Answers what it returned or reverted with, cut: no error of ours is longer. */
export function returnedBy({ constant_result: results }: TronAnswer): Hex {
  const [bytes] = Array.isArray(results) ? results : []
  return typeof bytes === 'string' && /^([0-9a-f]{2})*$/.test(bytes) ? `0x${bytes.slice(0, 2_000)}` : '0x'
}

/**
 * `energy_used` contains the penalty of a busy contract (dynamic energy), of which `energy_penalty` is only the share:
 * java-tron's VM spends both as one (`Program.spendEnergyWithPenalty`). Adding it again raised the fee limit from 44 to
 * 62 TRX at factor 3.4.
 */
function energyTaken(node: TronNode, { energy_used: used }: TronAnswer): bigint {
  if (!isCount(used)) throw new TronNodeError(node, 'names no energy')
  return (BigInt(used) * MARGIN_PERCENT) / 100n
}

function energyToLeave({ logs }: TronAnswer): bigint {
  return HOLDING_ENERGY + (holdsNothing(logs) ? 0n : FAILED_PAYOUT_ENERGY)
}

/** Older nodes show no logs of what they only tried: then a share may be held. */
function holdsNothing(logs: unknown): boolean {
  return Array.isArray(logs) && !logs.some((log) => String(fieldsOf(log)['topics']).startsWith(PAYOUT_HELD))
}
