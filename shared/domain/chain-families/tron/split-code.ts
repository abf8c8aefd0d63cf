import constants from '../../../../contracts/artifacts/tron-split-constants.json' with { type: 'json' }
import type { Address, Hex } from '../../address.ts'
import { hashHex } from '../../create2.ts'
import type { SplitCode } from '../chain-family.ts'
import { getTronImplementation } from './predict-split.ts'

/**
 * Returns the code hashes and the implementation's address that the chain must have if this address is our factory on
 * TRON.
 *
 * The factory's code contains the implementation's address, which depends on the factory's address. Each factory
 * therefore has a different code hash.
 */
export function getTronSplitCode(factory: Address): SplitCode {
  const implementation = getTronImplementation(factory)
  return {
    factoryCodeHash: hashHex(factoryCode(implementation)),
    implementation,
    implementationCodeHash: constants.implementationRuntimeCodeHash as Hex,
  }
}

function factoryCode(implementation: Address): Hex {
  const word = implementation.slice(2).padStart(64, '0')
  // The compiler reserved words for the implementation's address at these places.
  const code = constants.implementationPlaces.reduce(
    (text, place) => text.slice(0, 2 * place) + word + text.slice(2 * place + 64),
    constants.factoryRuntimeCode.slice(2),
  )
  return `0x${code}`
}
