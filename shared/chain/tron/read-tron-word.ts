import type { Address, Hex } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/families/tron/address.ts'
import { fieldsOf } from './read-tron.ts'
import { hasFailed, returnedBy } from './simulate-tron.ts'
import { type TronAnswer, type TronNode, TronNodeError } from './tron-node.ts'

/**
 * Reads one number that a contract answers, by the newest block; `null` if no contract is there that answers one.
 *
 * @param call.account - who asks
 * @throws {TronNodeError} if the contract refuses, or the node does not answer, or says anything else than that no
 *   contract is there
 */
export async function readTronWord(
  node: TronNode,
  { to, data, account }: { readonly to: Address; readonly data: Hex; readonly account: Address },
): Promise<bigint | null> {
  const answer = await node.ask('wallet/triggerconstantcontract', {
    ...{ owner_address: formatTronAddress(account), contract_address: formatTronAddress(to) },
    ...{ data: data.slice(2), call_value: 0, visible: true },
  })
  if (fieldsOf(answer['result'])['result'] !== true) {
    if (hasNoContract(answer)) return null
    throw new TronNodeError(node, `cannot run a call of ${formatTronAddress(to)}`)
  }
  if (hasFailed(answer)) throw new TronNodeError(node, `says that ${formatTronAddress(to)} refuses to answer`)
  const word = returnedBy(answer)
  return word.length === WORD_CHARACTERS ? BigInt(word) : null
}

/** The code is that of other refusals, too, such as of a node that runs no constant calls. Source: java-tron, Wallet. */
const NO_CONTRACT = /^(No contract or not a (valid )?smart contract|Smart contract is not exist)/

function hasNoContract(answer: TronAnswer): boolean {
  const { code, message } = fieldsOf(answer['result'])
  if (code !== 'CONTRACT_VALIDATE_ERROR' || typeof message !== 'string') return false
  return NO_CONTRACT.test(Buffer.from(message.slice(0, MAX_MESSAGE_CHARACTERS), 'hex').toString('latin1'))
}

/** Two for each of the text, which is told in hex. */
const MAX_MESSAGE_CHARACTERS = 200

/** 0x and 32 bytes. */
const WORD_CHARACTERS = 2 + 64
