import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { requireCondition } from './evidence-error.ts'

/**
 * Parses an address. It must be spelled as the API spells it, so that two different files never state the same facts.
 *
 * @throws {EvidenceError} for any other text
 */
export function readSpelled(text: string, family: ChainFamilyName): Address {
  const address = CHAIN_FAMILIES[family].parseAddress(text)
  const isSpelled = address !== null && presentAddress(address, family) === text
  requireCondition(
    isSpelled,
    `${JSON.stringify(text)} is not the API's spelling of an address on ${family} networks`,
  )
  return address
}
