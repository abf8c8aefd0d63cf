import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  decodeFunctionData,
  encodeAbiParameters,
  getContractAddress,
  type Hex,
  keccak256,
  parseAbiParameters,
  toHex,
} from 'viem'
import { AddressMismatch, type CheckedCharge } from '../../api/client/check-address.ts'
import { type ExitCharge, parseExitCharge } from '../../api/client/exit/exit-charge.ts'
import { listPayments } from '../../api/client/exit/payment.ts'
import { paymentSplitAbi } from '../../shared/chain/abi/payment-split.ts'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import { type Address, checksum } from '../../shared/domain/address.ts'
import { formatTronAddress } from '../../shared/domain/chain-families/tron/address.ts'
import { SPLIT_FACTORY, SPLIT_IMPLEMENTATION } from '../../shared/domain/split-address.ts'
import {
  addressOfByte,
  buildCharge,
  buildTronCharge,
  FACTORY_ON_TRON,
  withEscrow,
} from '../support/checked-charges.ts'

const THIEF = addressOfByte('ff')
const known = { factory: formatTronAddress(FACTORY_ON_TRON) }

/** Genuine charges: ordinary, with recipients, in escrow and on TRON. */
const genuine: fc.Arbitrary<CheckedCharge> = fc.oneof(
  fc
    .record({
      feePercent: fc.integer({ min: 0, max: 40 }),
      splits: fc.array(fc.integer({ min: 1, max: 10 }), { maxLength: 5 }),
      isEscrow: fc.boolean(),
    })
    .map(({ isEscrow, ...terms }) => (isEscrow ? withEscrow(buildCharge(terms)) : buildCharge(terms))),
  fc.constant(null).map(buildTronCharge),
)

/** Values that a forger might write in place of any other value. */
const forgedValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    checksum(THIEF),
    formatTronAddress(THIEF),
    `0x${'0'.repeat(40)}`,
    null,
    '',
    [],
    {},
  ),
  fc.integer({ min: -1, max: 1_000_001 }),
  fc.constantFrom<unknown>(0.5, 1_000_000, 2 ** 53, '1000000', true, `0x${'5a'.repeat(32)}`),
  fc.string(),
)

/** Returns the fields that decide where the money goes. */
const getRoute = ({ factory, split, salt, splitAddress, address, releaser }: ExitCharge) => ({
  ...{ factory, split, salt, splitAddress, address, releaser },
})

describe('charges of an archive', () => {
  it('are rejected or pay only the recipients that their split address commits to, if a forger changes up to three values', () => {
    fc.assert(
      fc.property(
        genuine,
        fc.array(fc.tuple(fc.nat(), forgedValues), { minLength: 1, maxLength: 3 }),
        (charge, changes) => {
          const forged = changes.reduce<unknown>((json, [at, value]) => changeOne(json, at, value), charge)
          const read = tryParse(forged)
          if (read === null) return
          if (read.splitAddress === parseExitCharge(charge, known).splitAddress)
            expect(getRoute(read)).to.deep.equal(getRoute(parseExitCharge(charge, known)))
          expectOwnAddress(read)
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('result only in calls that pay the recipients in their terms, and no distributor', () => {
    fc.assert(
      fc.property(genuine, fc.bigInt({ min: 1n, max: 10n ** 30n }), (charge, amount) => {
        const read = parseExitCharge(charge, known)
        const token = { symbol: 'USDC', address: addressOfByte('cc'), decimals: 6 }
        const held = [{ recipient: read.split.recipients[0] as Address, amount }]
        const holding = { charge: read, token, distributable: amount, held, inEscrow: amount, safeNonce: 0n }
        const [distribution, release, ...others] = listPayments([holding])
        expect(others).to.deep.equal([])
        expect([distribution?.to, release?.to]).to.deep.equal([read.factory, read.splitAddress])

        const { args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data: distribution?.data as Hex })
        const [split, salt, tokens, distributor] = args as unknown as [
          { recipients: string[]; allocations: bigint[] },
          ...[Hex, string[], string],
        ]
        expect(split.recipients.map((one) => one.toLowerCase())).to.deep.equal(read.split.recipients)
        expect(split.allocations.map(Number)).to.deep.equal(read.split.allocations)
        expect([salt, BigInt(distributor)]).to.deep.equal([read.salt, 0n])
        expect(tokens.map((one) => one.toLowerCase())).to.deep.equal([token.address])

        const released = decodeFunctionData({ abi: paymentSplitAbi, data: release?.data as Hex })
        expect(released.functionName).to.equal('release')
        expect((released.args as unknown as string[]).map((one) => one.toLowerCase())).to.deep.equal([
          ...[token.address, read.split.recipients[0]],
        ])
      }),
      { numRuns: 200 },
    )
  })
})

function tryParse(json: unknown): ExitCharge | null {
  try {
    return parseExitCharge(json, known)
  } catch (error) {
    expect(error).to.be.instanceOf(AddressMismatch)
    return null
  }
}

const SPLIT = parseAbiParameters([
  'Split split',
  'struct Split { address[] recipients; uint256[] allocations; uint256 totalAllocation; uint16 distributionIncentive; }',
])

/**
 * Expects that the split address equals the address that viem computes from the terms. Skips charges on TRON, which
 * uses another formula.
 */
function expectOwnAddress({ family, id, split, splitAddress }: ExitCharge): void {
  if (family === 'tron') return
  const terms = {
    ...{ recipients: [...split.recipients], allocations: split.allocations.map(BigInt) },
    ...{ totalAllocation: BigInt(split.totalAllocation) },
    distributionIncentive: split.distributionIncentive,
  }
  const hash = keccak256(encodeAbiParameters(SPLIT, [terms]))
  const code = `0x6100533d81600a3d39f336600557005b363d3d373d3d3d363d73${SPLIT_IMPLEMENTATION.slice(2)}5af43d82803e903d91603157fd5bf3${hash.slice(2)}`
  const expected = getContractAddress({
    ...{ opcode: 'CREATE2', from: SPLIT_FACTORY, salt: keccak256(toHex(id)), bytecode: code as Hex },
  })
  expect(splitAddress).to.equal(expected.toLowerCase())
}

/** Replaces the value at one path of a JSON value. The number selects the path. */
function changeOne(json: unknown, at: number, value: unknown): unknown {
  const paths = listPaths(json)
  const path = paths[at % paths.length] ?? []
  return replaceAt(json, path, value)
}

function listPaths(json: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof json !== 'object' || json === null) return [path]
  return [path, ...Object.entries(json).flatMap(([name, one]) => listPaths(one, [...path, name]))]
}

function replaceAt(json: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  const copy: unknown = Array.isArray(json) ? [...json] : { ...(json as object) }
  const parent = copy as Record<string, unknown>
  parent[name] = replaceAt(parent[name], rest, value)
  return copy
}
