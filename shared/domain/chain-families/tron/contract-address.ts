import type { Address, Hex } from '../../address.ts'
import { hashHex } from '../../create2.ts'
import { TRON_PREFIX } from './address.ts'

const PREFIX = TRON_PREFIX.toString(16)

/**
 * Returns the address of a contract deployed by CREATE2 on TRON, which uses the prefix 0x41 where Ethereum uses 0xff.
 *
 * @param terms.salt - 32 bytes
 * @param terms.initCodeHash - keccak256 of the creation code with its arguments
 * @see TIP-26
 */
export function tronCreate2Address(terms: { deployer: Address; salt: Hex; initCodeHash: Hex }): Address {
  const { deployer, salt, initCodeHash } = terms
  return lastTwenty(`0x${PREFIX}${deployer.slice(2)}${salt.slice(2)}${initCodeHash.slice(2)}`)
}

/**
 * Returns the address of a contract that a transaction creates. It depends on the transaction's id, so each transaction
 * yields a different address.
 *
 * @param terms.txId - 32 bytes
 * @param terms.owner - the signer
 * @see java-tron, `WalletUtil.generateContractAddress`
 */
export function tronDeployedAddress({ txId, owner }: { txId: Hex; owner: Address }): Address {
  return lastTwenty(`${txId}${PREFIX}${owner.slice(2)}`)
}

function lastTwenty(bytes: Hex): Address {
  return `0x${hashHex(bytes).slice(-40)}` as Address
}
