import type { Address, Hex } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/families/tron/address.ts'
import { fieldsOf } from './read-tron.ts'
import { hasFailed, returnedBy } from './simulate-tron.ts'
import { type TronNode, TronNodeError } from './tron-node.ts'

/**
 * Reads one number that a contract answers, by the newest block; `null` if no contract is there that answers one.
 *
 * @param call.account - who asks
 * @throws {TronNodeError} if the contract refuses, or the node does not answer
 */
export async function readTronWord(
  node: TronNode,
  { to, data, account }: { readonly to: Address; readonly data: Hex; readonly account: Address },
): Promise<bigint | null> {
  const answer = await node.ask('wallet/triggerconstantcontract', {
    ...{ owner_address: formatTronAddress(account), contract_address: formatTronAddress(to) },
    ...{ data: data.slice(2), call_value: 0, visible: true },
  })
  if (fieldsOf(answer['result'])['result'] !== true) return null
  if (hasFailed(answer)) throw new TronNodeError(node, `says that ${formatTronAddress(to)} refuses to answer`)
  const word = returnedBy(answer)
  return word.length === WORD_CHARACTERS ? BigInt(word) : null
}

/** 0x and 32 bytes. */
const WORD_CHARACTERS = 2 + 64
