import type { Address, Hex } from '../../address.ts'
import { keccakOfHex } from '../../create2.ts'
import { TRON_PREFIX } from './address.ts'

const PREFIX = TRON_PREFIX.toString(16)

/**
 * Answers where a contract made by CREATE2 will stand on TRON, which puts 0x41 where Ethereum puts 0xff.
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
 * Answers where a transaction puts the contract that it makes: of its own id, so never twice the same.
 *
 * @param terms.txId - 32 bytes
 * @param terms.owner - who signed it
 * @see java-tron, `WalletUtil.generateContractAddress`
 */
export function tronDeployedAddress({ txId, owner }: { txId: Hex; owner: Address }): Address {
  return lastTwenty(`${txId}${PREFIX}${owner.slice(2)}`)
}

function lastTwenty(bytes: Hex): Address {
  return `0x${keccakOfHex(bytes).slice(-40)}` as Address
}
