import type { Address, Hex } from '../../domain/address.ts'
import { formatTronAddress } from '../../domain/chain-families/tron/address.ts'
import { getObject } from './read-tron.ts'
import { hasFailed, returnedBy } from './simulate-tron.ts'
import { type TronNode, TronNodeError, type TronResponse } from './tron-node.ts'

/**
 * Reads one number from a contract at the newest block. Returns `null` if there is no contract, or if the contract
 * returns no number.
 *
 * @param call.account - the caller
 * @throws {TronNodeError} if the contract reverts, the node does not respond, or the node reports another problem
 */
export async function readTronUint(
  node: TronNode,
  { to, data, account }: { readonly to: Address; readonly data: Hex; readonly account: Address },
): Promise<bigint | null> {
  const response = await node.ask('wallet/triggerconstantcontract', {
    ...{ owner_address: formatTronAddress(account), contract_address: formatTronAddress(to) },
    ...{ data: data.slice(2), call_value: 0, visible: true },
  })
  if (getObject(response['result'])['result'] !== true) {
    if (hasNoContract(response)) return null
    throw new TronNodeError(node, `cannot run a call to ${formatTronAddress(to)}`)
  }
  if (hasFailed(response)) throw new TronNodeError(node, `reports that ${formatTronAddress(to)} reverts`)
  const word = returnedBy(response)
  return word.length === WORD_CHARACTERS ? BigInt(word) : null
}

/**
 * Messages of a node for an address without a contract. The code alone is not enough, because other rejections have the
 * same code, for example if a node does not support constant calls. Source: java-tron, Wallet.
 */
const NO_CONTRACT = /^(No contract or not a (valid )?smart contract|Smart contract is not exist)/

function hasNoContract(response: TronResponse): boolean {
  const { code, message } = getObject(response['result'])
  if (code !== 'CONTRACT_VALIDATE_ERROR' || typeof message !== 'string') return false
  return NO_CONTRACT.test(Buffer.from(message.slice(0, MAX_MESSAGE_CHARACTERS), 'hex').toString('latin1'))
}

/** Maximum decoded hex digits of a node's message, two for each character. */
const MAX_MESSAGE_CHARACTERS = 200

/** Length of a word in hex: 0x and 32 bytes. */
const WORD_CHARACTERS = 2 + 64
