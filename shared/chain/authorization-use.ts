import { encodeAbiParameters, numberToHex, pad, toEventSelector, toFunctionSelector } from 'viem'
import type { Address, Hex } from '../domain/address.ts'
import type { ChainClient } from './client.ts'
import { UnusableAnswerError } from './node-errors.ts'
import { findReceipt } from './receipts.ts'

/** One authorization as a token keeps it. */
export type AuthorizationOfPayer = {
  readonly token: Address
  readonly payer: Address
  readonly nonce: Hex
}

/** What the authorization is to pay. */
export type AuthorizedPayment = AuthorizationOfPayer & {
  readonly recipient: Address
  /** The token's atomic units. */
  readonly value: bigint
}

/** The transaction that spent an authorization's nonce. */
export type AuthorizationUse = {
  readonly txHash: Hex
  readonly blockNumber: number
  /** It paid what was signed; else the nonce was canceled, or spent for another payment. */
  readonly isPayment: boolean
}

/** @see https://eips.ethereum.org/EIPS/eip-3009 */
const USED = toEventSelector('AuthorizationUsed(address,bytes32)')
const CANCELED = toEventSelector('AuthorizationCanceled(address,bytes32)')
const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const STATE = toFunctionSelector('authorizationState(address,bytes32)')

/**
 * Tells whether a token holds an authorization's nonce for spent, at the newest block.
 *
 * @throws {BaseError} viem's, if no node answers, or the token has no such function
 */
export async function isAuthorizationSpent(
  client: ChainClient,
  { token, payer, nonce }: AuthorizationOfPayer,
): Promise<boolean> {
  const data: Hex = `${STATE}${pad(payer).slice(2)}${nonce.slice(2)}`
  const { data: word } = await client.call({ to: token, data })
  if (word?.length === 66) return BigInt(word) !== 0n
  throw new UnusableAnswerError({ method: 'authorizationState', answer: word })
}

/**
 * Finds the transaction that spent an authorization's nonce, whoever sent it; `null` if the node shows none, which proves
 * nothing.
 *
 * @param fromBlock - it was not spent before
 * @throws {BaseError} viem's, if no node answers
 */
export async function findAuthorizationUse(
  client: ChainClient,
  payment: AuthorizedPayment,
  fromBlock: number,
): Promise<AuthorizationUse | null> {
  const { token, payer, nonce } = payment
  const logs = await client.request({
    method: 'eth_getLogs',
    params: [
      {
        address: token,
        topics: [[USED, CANCELED], pad(payer), nonce],
        fromBlock: numberToHex(fromBlock),
        toBlock: 'latest',
      },
    ],
  })
  for (const { transactionHash } of logs) {
    const receipt = transactionHash === null ? null : await findReceipt(client, transactionHash)
    if (receipt?.status !== 'success') continue
    const isPayment = receipt.logs.some((log) => isTransferOf(payment, log))
    return { txHash: receipt.transactionHash, blockNumber: Number(receipt.blockNumber), isPayment }
  }
  return null
}

function isTransferOf(
  { token, payer, recipient, value }: AuthorizedPayment,
  { address, topics, data }: { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex },
): boolean {
  const [event, from, to] = topics
  return (
    address.toLowerCase() === token &&
    event === TRANSFER &&
    from === pad(payer) &&
    to === pad(recipient) &&
    data === encodeAbiParameters([{ type: 'uint256' }], [value])
  )
}
