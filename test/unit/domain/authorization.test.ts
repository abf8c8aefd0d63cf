import { expect } from 'chai'
import { TypedDataEncoder, Wallet } from 'ethers'
import { decodeFunctionData, hashTypedData, parseAbi, size, toFunctionSelector, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address, Hex } from '../../../shared/domain/address.ts'
import {
  type AuthorizationTerms,
  authorizationCall,
  authorizationHash,
  authorizationSeparator,
  authorizationTypedData,
  findSignatureProblem,
  maskSignature,
  recoverAuthorizer,
} from '../../../shared/domain/eip3009/authorization.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import type { Environment, Network, Token } from '../../../shared/domain/networks.ts'

const KEY: Hex = `0x${'4c'.repeat(32)}`
const account = privateKeyToAccount(KEY)
const PAYER = account.address.toLowerCase() as Address
const TOKEN = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913' as Address

/** The order of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const terms: AuthorizationTerms = {
  chainId: 8453,
  token: TOKEN,
  domain: { name: 'USD₮0', version: '1' },
  authorization: {
    from: PAYER,
    to: '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe' as Address,
    value: 2n ** 256n - 1n,
    validAfter: 0n,
    validBefore: 1_800_000_000n,
    nonce: `0x${'ab'.repeat(32)}`,
  },
}

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

describe('authorizationTypedData', () => {
  const typedData = authorizationTypedData(terms)

  it('is unchanged by JSON, and has the chain id as a number and the message’s numbers as decimal strings', () => {
    expect(JSON.parse(JSON.stringify(typedData))).to.deep.equal(typedData)
    expect(typedData.domain.chainId).to.equal(8453)
    expect(typedData.message).to.include({
      value: String(2n ** 256n - 1n),
      validAfter: '0',
      validBefore: '1800000000',
    })
  })

  it('has the same hash in our code, viem and ethers, and the same signature in viem and ethers', async () => {
    const hash = authorizationHash(terms)
    expect(hashTypedData(typedData as never)).to.equal(hash)
    const { EIP712Domain: _, ...types } = typedData.types
    const fields = Object.fromEntries(Object.entries(types).map(([name, list]) => [name, [...list]]))
    expect(TypedDataEncoder.hash(typedData.domain, fields, typedData.message)).to.equal(hash)
    const signed = await new Wallet(KEY).signTypedData(typedData.domain, fields, typedData.message)
    expect(signed).to.equal(await account.sign({ hash }))
  })
})

describe('authorizationSeparator', () => {
  // The first four bytes of domain separators that third parties read from the chains by November 2026.
  const recorded: readonly [Token, Network, Environment, string][] = [
    ['USDC', 'ethereum', 'live', '0x06c37168'],
    ['USDC', 'optimism', 'live', '0x26d9c34b'],
    ['USDC', 'polygon', 'live', '0xcaa2ce1a'],
    ['USDC', 'arbitrum', 'live', '0x08d11903'],
    ['USDC', 'base', 'live', '0x02fa7265'],
    ['USDC', 'avalanche', 'live', '0xbbea2003'],
    ['USDC', 'arc', 'live', '0x94050692'],
    ['USDC', 'arc', 'test', '0x36119152'],
    ['USDC', 'base', 'test', '0x71f17a3b'],
    ['USDT', 'arbitrum', 'live', '0x566af68f'],
  ]

  for (const [token, network, environment, separator] of recorded)
    it(`matches the first four bytes of the separator that ${token} on ${network} (${environment}) returned`, () => {
      const deployment = REGISTRY[network][environment]
      const facts = deployment?.tokens[token]
      if (!deployment || !facts?.authorization) throw new Error('the registry must have a domain')
      const { chainId } = deployment
      const ours = authorizationSeparator({ chainId, token: facts.address, domain: facts.authorization })
      expect(ours.slice(0, 10)).to.equal(separator)
    })
})

describe('authorizationCall', () => {
  const { from, to, value, validAfter, validBefore, nonce } = terms.authorization
  const fields = [from, to, value, validAfter, validBefore, nonce]

  it('passes a signature of 65 bytes as v, r and s', () => {
    const [r, s]: [Hex, Hex] = [`0x${'11'.repeat(32)}`, `0x${'22'.repeat(32)}`]
    const signature: Hex = `0x${r.slice(2)}${s.slice(2)}1b`
    const call = authorizationCall(TOKEN, { ...terms.authorization, signature })
    expect(call.to).to.equal(TOKEN)
    expect(call.data.slice(0, 10)).to.equal('0xe3ee160e').and.to.equal(selectorOf(0))
    expect(lowered(decodeFunctionData({ abi, data: call.data }).args)).to.deep.equal([...fields, 27, r, s])
  })

  for (const bytes of [1, 64, 66, 130])
    it(`passes a signature of ${bytes} bytes unchanged`, () => {
      const signature = toHex(new Uint8Array(bytes).fill(7))
      const { data } = authorizationCall(TOKEN, { ...terms.authorization, signature })
      expect(data.slice(0, 10)).to.equal('0xcf092995').and.to.equal(selectorOf(1))
      expect(lowered(decodeFunctionData({ abi, data }).args)).to.deep.equal([...fields, signature])
    })

  function selectorOf(index: 0 | 1): Hex {
    return toFunctionSelector(abi[index])
  }

  function lowered(args: readonly unknown[]): readonly unknown[] {
    return args.map((arg) => (typeof arg === 'string' ? arg.toLowerCase() : arg))
  }
})

describe('recoverAuthorizer', () => {
  let signature: Hex

  before(async () => {
    signature = await account.sign({ hash: authorizationHash(terms) })
    expect(size(signature)).to.equal(65)
  })

  it('returns the account whose key signed exactly these terms', async () => {
    expect(await recoverAuthorizer(terms, signature)).to.equal(PAYER)
  })

  const lies: readonly [string, Partial<AuthorizationTerms>][] = [
    ['another chain', { chainId: 1 }],
    ['another token', { token: PAYER }],
    ['another name', { domain: { name: 'USDT0', version: '1' } }],
    ['another version', { domain: { name: 'USD₮0', version: '2' } }],
    ['another payee', { authorization: { ...terms.authorization, to: PAYER } }],
    ['one unit less', { authorization: { ...terms.authorization, value: 2n ** 256n - 2n } }],
    ['another validBefore', { authorization: { ...terms.authorization, validBefore: 1_800_000_001n } }],
    ['another nonce', { authorization: { ...terms.authorization, nonce: `0x${'ac'.repeat(32)}` } }],
  ]
  for (const [title, lie] of lies)
    it(`returns another account for ${title}`, async () => {
      expect(await recoverAuthorizer({ ...terms, ...lie }, signature)).not.to.equal(PAYER)
    })

  it('returns null for v 0 or 1, a high s, another length or an r above the curve order', async () => {
    const wrong: readonly Hex[] = [
      ...formsOf(signature),
      signature.slice(0, -2) as Hex,
      `0x${'f'.repeat(64)}${signature.slice(66)}`,
    ]
    for (const one of wrong) expect(await recoverAuthorizer(terms, one), one).to.equal(null)
  })
})

describe('findSignatureProblem', () => {
  let signature: Hex

  before(async () => {
    signature = await account.sign({ hash: authorizationHash(terms) })
  })

  it('reports a signature by the payer’s key in a form that the token rejects', async () => {
    expect(await findSignatureProblem(terms, signature)).to.equal(null)
    for (const form of [...formsOf(signature), `${signature.slice(0, -2) as Hex}ff` as Hex])
      expect(await findSignatureProblem(terms, form), form).to.be.a('string')
  })

  it('reports no signature that a contract could accept: by another or no key, or of another length', async () => {
    const other = privateKeyToAccount(`0x${'12'.repeat(32)}`)
    const foreign = await other.sign({ hash: authorizationHash(terms) })
    const forms = [foreign, ...formsOf(foreign), `${signature}00` as Hex, '0x11' as Hex, NO_KEY]
    for (const one of forms) expect(await findSignatureProblem(terms, one), one).to.equal(null)
  })
})

/** Not a signature by any key, because r exceeds the curve order. */
const NO_KEY: Hex = `0x${'ff'.repeat(65)}`

/** Returns a signature with v 0 or 1, and with the high s. */
function formsOf(signature: Hex): readonly Hex[] {
  const v = Number.parseInt(signature.slice(-2), 16)
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const high = (ORDER - s).toString(16).padStart(64, '0')
  return [
    `${signature.slice(0, -2) as Hex}0${v - 27}`,
    `${signature.slice(0, 66) as Hex}${high}${(55 - v).toString(16)}`,
  ]
}

describe('maskSignature', () => {
  it('returns other bytes of the same length, which are not a signature by the payer’s key', async () => {
    for (const bytes of [1, 32, 65, 2_048]) {
      const signature = toHex(new Uint8Array(bytes).fill(7))
      expect(size(maskSignature(signature)), `${bytes} bytes`).to.equal(bytes)
      expect(maskSignature(signature)).to.not.equal(signature)
    }
    const signature = await account.sign({ hash: authorizationHash(terms) })
    expect(await recoverAuthorizer(terms, maskSignature(signature))).to.not.equal(PAYER)
  })
})
