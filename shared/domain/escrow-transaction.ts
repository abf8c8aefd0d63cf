import { type Address, checksum, type Hex } from './address.ts'
import { encodeAbiWord, hashHex } from './create2.ts'
import { listDomainFields } from './list-domain-fields.ts'
import type { AtomicUnits } from './money.ts'
import { MAX_S, recoverKeySigner } from './recover-key-signer.ts'
import { encodeTransfer } from './transfer-call.ts'

/** The Safe transaction that the releaser signs. It moves all or nearly all of an escrow's balance of one token. */
export type EscrowTransaction = {
  readonly chainId: number
  readonly safeAddress: Address
  readonly tokenAddress: Address
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  /** Number of transactions that the Safe has executed; 0 before its deployment. */
  readonly nonce: bigint
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Address

/** Safe.sol v1.4.1, `DOMAIN_SEPARATOR_TYPEHASH`: EIP712Domain(uint256 chainId,address verifyingContract). */
const DOMAIN_TYPE_HASH: Hex = '0x47e79534a245952e8b16893a336b85a3d9ea9fa8c573f3d803afb92a79469218'

/** Safe.sol v1.4.1, `SAFE_TX_TYPEHASH`. A unit test recomputes both hashes. */
const SAFE_TX_TYPE_HASH: Hex = '0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8'

/**
 * Returns the EIP-712 data that the releaser signs, as plain JSON.
 *
 * The domain's `chainId` must be a number. viem takes the domain's fields from `EIP712Domain` in `types`. If the caller
 * has removed them, as ethers requires, viem drops a `chainId` that is a string and returns a wrong hash. The message's
 * numbers are decimal strings, which can represent any 256-bit number. viem, ethers and wallets
 * (`eth_signTypedData_v4`) all compute the same hash. All gas fields are zero, so that a token's rejection reverts the
 * whole relayed transaction and uses no nonce of the Safe.
 *
 * @see https://eips.ethereum.org/EIPS/eip-712; Safe v1.4.1, `getTransactionHash`
 */
export function escrowTypedData(transaction: EscrowTransaction) {
  const domain = { chainId: transaction.chainId, verifyingContract: checksum(transaction.safeAddress) }
  return {
    types: {
      EIP712Domain: listDomainFields(domain),
      SafeTx: [
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'data', type: 'bytes' },
        { name: 'operation', type: 'uint8' },
        { name: 'safeTxGas', type: 'uint256' },
        { name: 'baseGas', type: 'uint256' },
        { name: 'gasPrice', type: 'uint256' },
        { name: 'gasToken', type: 'address' },
        { name: 'refundReceiver', type: 'address' },
        { name: 'nonce', type: 'uint256' },
      ],
    },
    primaryType: 'SafeTx',
    domain,
    message: {
      to: checksum(transaction.tokenAddress),
      value: '0',
      data: encodeTransfer(transaction),
      operation: '0',
      safeTxGas: '0',
      baseGas: '0',
      gasPrice: '0',
      gasToken: ZERO_ADDRESS,
      refundReceiver: ZERO_ADDRESS,
      nonce: String(transaction.nonce),
    },
  } as const
}

/** Returns the hash that is signed. It equals the result of the Safe's own `getTransactionHash`. */
export function escrowTxHash(transaction: EscrowTransaction): Hex {
  const { chainId, safeAddress, tokenAddress, nonce } = transaction
  const domain = hashWords(DOMAIN_TYPE_HASH, encodeAbiWord(chainId), encodeAbiWord(safeAddress))
  const data = hashHex(encodeTransfer(transaction))
  const [zero, head] = [encodeAbiWord(0), [encodeAbiWord(tokenAddress), encodeAbiWord(0), data.slice(2)]]
  // operation, safeTxGas, baseGas, gasPrice, gasToken and refundReceiver are all zero.
  const struct = hashWords(SAFE_TX_TYPE_HASH, ...head, zero, zero, zero, zero, zero, zero, uintWord(nonce))
  return hashHex(`0x1901${domain.slice(2)}${struct.slice(2)}`)
}

/**
 * Parses a signature and returns it in the form that the Safe requires: 65 bytes, low s, v 27 or 28.
 *
 * @param text - hex; v may also be 0 or 1, because some wallets use these values
 * @returns the signature; `null` for any other length, an s of 0, a high s, or another v, by which the Safe recognizes
 * other types of signatures
 */
export function parseEscrowSignature(text: string): Hex | null {
  if (!/^0x[0-9a-fA-F]{130}$/.test(text)) return null
  const s = BigInt(`0x${text.slice(66, 130)}`)
  const v = Number.parseInt(text.slice(130), 16)
  const parity = v >= 27 ? v - 27 : v
  if (s === 0n || s > MAX_S || (parity !== 0 && parity !== 1)) return null
  return `${text.slice(0, 130).toLowerCase() as Hex}${(parity + 27).toString(16)}`
}

/** Returns the signer of exactly this transaction, or `null` if no key can have created the signature. */
export async function recoverEscrowSigner(
  transaction: EscrowTransaction,
  signature: Hex,
): Promise<Address | null> {
  return await recoverKeySigner(escrowTxHash(transaction), signature)
}

function hashWords(typeHash: Hex, ...words: readonly string[]): Hex {
  return hashHex(`${typeHash}${words.join('')}`)
}

function uintWord(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
