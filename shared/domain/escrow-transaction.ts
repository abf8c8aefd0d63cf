import { recoverAddress } from 'viem'
import { type Address, checksum, type Hex, parseEvmAddress } from './address.ts'
import { abiWord, keccakOfHex } from './create2.ts'
import type { AtomicUnits } from './money.ts'

/** The Safe transaction that moves an escrow's whole balance of one token; what the releaser signs. */
export type EscrowTransaction = {
  readonly chainId: number
  readonly safeAddress: Address
  readonly tokenAddress: Address
  readonly destination: Address
  readonly amountAtomic: AtomicUnits
  /** How many transactions the Safe has executed; 0 while it is not deployed. */
  readonly nonce: bigint
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}` as Address

/** Safe.sol v1.4.1, `DOMAIN_SEPARATOR_TYPEHASH`: EIP712Domain(uint256 chainId,address verifyingContract). */
const DOMAIN_TYPE_HASH: Hex = '0x47e79534a245952e8b16893a336b85a3d9ea9fa8c573f3d803afb92a79469218'

/** Safe.sol v1.4.1, `SAFE_TX_TYPEHASH`; a unit test computes both again. */
const SAFE_TX_TYPE_HASH: Hex = '0xbb8310d486368db6bd6f849402fdd73ad53d316b5a4b2644ad6efe0f941286d8'

/** Half the order of secp256k1: of the two signatures that ECDSA allows, the one with the higher s is refused (EIP-2). */
const MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * Writes what the releaser signs, as plain JSON of EIP-712.
 *
 * The domain's `chainId` is a number: viem takes the domain's fields from `EIP712Domain` while it stands in `types`, and
 * where it was removed, as ethers demands, drops a `chainId` that is a string and hashes something else. The numbers of
 * the message are decimal strings, which fit any 256 bits; all of it hashes the same in viem, in ethers, and in wallets
 * by `eth_signTypedData_v4`. All gas fields are zero, so a token that refuses reverts the whole relayed transaction and
 * burns no nonce of the Safe.
 *
 * @see https://eips.ethereum.org/EIPS/eip-712; Safe v1.4.1, `getTransactionHash`
 */
export function escrowTypedData(transaction: EscrowTransaction) {
  return {
    types: {
      EIP712Domain: [
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
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
    domain: {
      chainId: transaction.chainId,
      verifyingContract: checksum(transaction.safeAddress),
    },
    message: {
      to: checksum(transaction.tokenAddress),
      value: '0',
      data: escrowTransferData(transaction),
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

/** Answers the hash that is signed, which the Safe's own `getTransactionHash` answers too. */
export function escrowTxHash(transaction: EscrowTransaction): Hex {
  const { chainId, safeAddress, tokenAddress, nonce } = transaction
  const domain = hashWords(DOMAIN_TYPE_HASH, abiWord(chainId), abiWord(safeAddress))
  const data = keccakOfHex(escrowTransferData(transaction))
  const [zero, head] = [abiWord(0), [abiWord(tokenAddress), abiWord(0), data.slice(2)]]
  // operation, safeTxGas, baseGas, gasPrice, gasToken and refundReceiver are all zero.
  const struct = hashWords(SAFE_TX_TYPE_HASH, ...head, zero, zero, zero, zero, zero, zero, uintWord(nonce))
  return keccakOfHex(`0x1901${domain.slice(2)}${struct.slice(2)}`)
}

/** Answers the inner call's data: `transfer(destination, amount)` of ERC-20. */
export function escrowTransferData({ destination, amountAtomic }: EscrowTransaction): Hex {
  return `0xa9059cbb${abiWord(destination)}${uintWord(amountAtomic)}`
}

/**
 * Reads a signature as the Safe wants it: 65 bytes, s low, v 27 or 28.
 *
 * @param text - hex; v may also be 0 or 1, as some wallets write it
 * @returns `null` for any other length, a high s, or another v: the Safe takes those for other kinds of signatures
 */
export function parseEscrowSignature(text: string): Hex | null {
  if (!/^0x[0-9a-fA-F]{130}$/.test(text)) return null
  const s = BigInt(`0x${text.slice(66, 130)}`)
  const v = Number.parseInt(text.slice(130), 16)
  const parity = v >= 27 ? v - 27 : v
  if (s === 0n || s > MAX_S || (parity !== 0 && parity !== 1)) return null
  return `${text.slice(0, 130).toLowerCase() as Hex}${(parity + 27).toString(16)}`
}

/** Answers who signed this very transaction, or `null` if no key can have made the signature. */
export async function recoverEscrowSigner(
  transaction: EscrowTransaction,
  signature: Hex,
): Promise<Address | null> {
  try {
    return parseEvmAddress(await recoverAddress({ hash: escrowTxHash(transaction), signature }))
  } catch {
    return null // r is on no point of the curve
  }
}

function hashWords(typeHash: Hex, ...words: readonly string[]): Hex {
  return keccakOfHex(`${typeHash}${words.join('')}`)
}

function uintWord(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
