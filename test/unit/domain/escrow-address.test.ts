import { createRequire } from 'node:module'
import { expect } from 'chai'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  keccak256,
  pad,
  parseAbi,
  zeroAddress,
} from 'viem'
import type { Address } from '../../../shared/domain/address.ts'
import { predictSafeAddress, SAFE_CONTRACTS, safeInitializer } from '../../../shared/domain/escrow-address.ts'

const artifacts = '@safe-global/safe-contracts/build/artifacts/contracts'
const load = createRequire(import.meta.url)
const bytecodeOf = (path: string): Hex => load(`${artifacts}/${path}.json`).bytecode

const releaser = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' as Address
const saltNonce = keccak256('0x1234')

const initializer = encodeFunctionData({
  abi: parseAbi(['function setup(address[],uint256,address,bytes,address,address,uint256,address)']),
  args: [[releaser], 1n, zeroAddress, '0x', SAFE_CONTRACTS.fallbackHandler, zeroAddress, 0n, zeroAddress],
})

describe('SAFE_CONTRACTS', () => {
  const sources = {
    singleton: 'SafeL2.sol/SafeL2',
    proxyFactory: 'proxies/SafeProxyFactory.sol/SafeProxyFactory',
    fallbackHandler: 'handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler',
    multiSendCallOnly: 'libraries/MultiSendCallOnly.sol/MultiSendCallOnly',
  } as const

  for (const [name, path] of Object.entries(sources)) {
    it(`has the canonical address of ${name}, derived from its bytecode`, () => {
      // Safe's singleton factory deployed each contract with salt 0 (npm package @safe-global/safe-singleton-factory).
      const address = getContractAddress({
        opcode: 'CREATE2',
        from: '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7',
        salt: pad('0x'),
        bytecode: bytecodeOf(path),
      })
      expect(SAFE_CONTRACTS[name as keyof typeof sources]).to.equal(address.toLowerCase())
    })
  }
})

describe('safeInitializer', () => {
  it('encodes setup as viem does', () => {
    expect(safeInitializer(releaser)).to.equal(initializer)
  })
})

describe('predictSafeAddress', () => {
  it('returns the address that the factory computes from the proxy’s published bytecode', () => {
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: SAFE_CONTRACTS.proxyFactory,
      salt: keccak256(concat([keccak256(initializer), saltNonce])),
      bytecode: concat([
        bytecodeOf('proxies/SafeProxy.sol/SafeProxy'),
        encodeAbiParameters([{ type: 'address' }], [SAFE_CONTRACTS.singleton]),
      ]),
    })
    expect(predictSafeAddress({ releaser, saltNonce })).to.equal(address.toLowerCase())
  })
})
