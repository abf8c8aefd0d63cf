import type { Address, Hex } from './address.ts'
import { create2Address, encodeAbiWord, hashHex } from './create2.ts'

/**
 * The Safe v1.4.1 contracts, at the same addresses on every supported EVM network.
 *
 * The singleton is SafeL2 even on Ethereum, because a Safe's address depends on its singleton.
 *
 * @see npm @safe-global/safe-deployments 1.37.63, `src/assets/v1.4.1/`, the `canonical` addresses
 */
export const SAFE_CONTRACTS = {
  singleton: '0x29fcb43b46531bca003ddc8fcb67ffe91900c762' as Address,
  proxyFactory: '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67' as Address,
  fallbackHandler: '0xfd0732dc9e303f09fcef3a7388ad10a83459ec99' as Address,
  multiSendCallOnly: '0x9641d764fc13c8b624c04430c7356c1c7c8102e2' as Address,
} as const

/**
 * keccak256 of SafeProxy's creation code and its argument, the singleton's address. A unit test recomputes it from the
 * npm package @safe-global/safe-contracts 1.4.1.
 */
const PROXY_INIT_CODE_HASH: Hex = '0xe298282cefe913ab5d282047161268a8222e4bd4ed106300c547894bbefd31ee'

/**
 * Returns the address of the 1-of-1 Safe of an escrow charge, deployed or not. It is the same on every EVM network.
 *
 * @param terms.saltNonce - 32 bytes, the charge's salt
 * @see SafeProxyFactory v1.4.1, `createProxyWithNonce`; not the chain-specific variant, whose addresses differ between
 * networks
 */
export function predictSafeAddress(terms: { releaser: Address; saltNonce: Hex }): Address {
  const salt = hashHex(`${hashHex(safeInitializer(terms.releaser))}${terms.saltNonce.slice(2)}`)
  return create2Address({ deployer: SAFE_CONTRACTS.proxyFactory, salt, initCodeHash: PROXY_INIT_CODE_HASH })
}

/**
 * Returns the calldata that initializes the Safe: `setup([releaser], 1, 0x0, 0x, fallbackHandler, 0x0, 0, 0x0)`. The
 * releaser becomes the only owner.
 */
export function safeInitializer(releaser: Address): Hex {
  const ownersOffset = 8 * 32
  const dataOffset = ownersOffset + 2 * 32
  const head = [ownersOffset, 1, 0, dataOffset, SAFE_CONTRACTS.fallbackHandler, 0, 0, 0]
  const owners = [1, releaser]
  const data = [0]
  return `0xb63e800d${[...head, ...owners, ...data].map(encodeAbiWord).join('')}`
}
