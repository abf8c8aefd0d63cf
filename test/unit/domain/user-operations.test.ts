import { expect } from 'chai'
import { encodeAbiParameters, type Hex, pad, parseAbiParameters, toEventSelector } from 'viem'
import { type EntryPointLog, userOperationSenders } from '../../../shared/domain/user-operations.ts'

const V06 = '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789'
const V07 = '0x0000000071727De22E5E9d8BAf0edAc6f37da032'
const FORGER = '0x00000000000000000000000000000000000f00d5'
const ALICE = '0x00000000000000000000000000000000000a11ce'
const BOB = '0x0000000000000000000000000000000000000b0b'

const BEFORE = toEventSelector('BeforeExecution()')
const AGGREGATOR = toEventSelector('SignatureAggregatorChanged(address)')
const OPERATION = toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)')

type Step = Omit<EntryPointLog, 'logIndex'>

const before = (address = V07): Step => ({ address, topics: [BEFORE], data: '0x' })
const aggregator = (): Step => ({ address: V06, topics: [AGGREGATOR, pad('0x00')], data: '0x' })
const ended = (sender: Hex, { address = V07, success = true } = {}): Step => ({
  address,
  topics: [OPERATION, pad('0x01'), pad(sender), pad('0x00')],
  data: encodeAbiParameters(parseAbiParameters('uint256, bool, uint256, uint256'), [7n, success, 1n, 1n]),
})
/** The log of a transfer that pays the charge. */
const PAYS = 'pays'

function payersOf(...steps: readonly (Step | typeof PAYS)[]): readonly string[] {
  const FIRST_INDEX = 100
  const logs = steps.flatMap((step, index) =>
    step === PAYS ? [] : [{ ...step, logIndex: FIRST_INDEX + index }],
  )
  const transfers = steps.flatMap((step, index) => (step === PAYS ? [FIRST_INDEX + index] : []))
  return userOperationSenders(logs, transfers)
}

describe('userOperationSenders', () => {
  it('returns the account whose operation made the transfer', () => {
    expect(payersOf(before(), PAYS, ended(ALICE))).to.deep.equal([ALICE])
  })

  it('returns the account of each transfer’s operation in a bundle', () => {
    expect(payersOf(before(), ended(ALICE), PAYS, ended(BOB))).to.deep.equal([BOB])
    expect(payersOf(before(), PAYS, ended(ALICE), PAYS, ended(BOB))).to.deep.equal([ALICE, BOB])
  })

  it('returns an account once if it paid several times', () => {
    expect(payersOf(before(), PAYS, PAYS, ended(ALICE), PAYS, ended(ALICE))).to.deep.equal([ALICE])
  })

  it('returns no account for an operation that failed', () => {
    expect(payersOf(before(), PAYS, ended(ALICE, { success: false }))).to.deep.equal([])
  })

  it('returns no account for a transfer outside all operations', () => {
    expect(payersOf(PAYS, before(), ended(ALICE))).to.deep.equal([])
    expect(payersOf(before(), ended(ALICE), PAYS)).to.deep.equal([])
    expect(payersOf(PAYS)).to.deep.equal([])
  })

  it('ignores a transfer during validation, which v0.6 starts after BeforeExecution', () => {
    const v06 = { address: V06 }
    expect(payersOf(before(V06), PAYS, aggregator(), ended(ALICE, v06))).to.deep.equal([])
    expect(payersOf(before(V06), aggregator(), PAYS, ended(ALICE, v06))).to.deep.equal([ALICE])
  })

  it('returns the innermost account if an operation calls another EntryPoint', () => {
    const inner = { address: V06 }
    expect(payersOf(before(), before(V06), PAYS, ended(BOB, inner), ended(ALICE))).to.deep.equal([BOB])
    expect(payersOf(before(), PAYS, before(V06), ended(BOB, inner), ended(ALICE))).to.deep.equal([ALICE])
  })

  it('ignores events of other contracts, and operations whose execution never started', () => {
    expect(payersOf(before(FORGER), PAYS, ended(ALICE, { address: FORGER }))).to.deep.equal([])
    const forged = ended(ALICE, { address: FORGER })
    expect(payersOf(before(), PAYS, forged, ended(BOB))).to.deep.equal([BOB])
    expect(payersOf(PAYS, ended(ALICE))).to.deep.equal([])
  })
})
