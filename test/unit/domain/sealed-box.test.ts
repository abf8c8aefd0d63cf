import { expect } from 'chai'
import { createSealKeys, open, publicKeyOf, seal } from '../../../shared/domain/sealed-box.ts'

describe('a sealed box', () => {
  const { publicKey, privateKey } = createSealKeys()

  it('is opened by the private key', () => {
    expect(open(privateKey, seal(publicKey, 'whsec_é'))).to.equal('whsec_é')
  })

  it('is opened by no other key, the public one included', () => {
    const box = seal(publicKey, 'secret')
    expect(open(createSealKeys().privateKey, box)).to.equal(null)
    expect(open(publicKey, box)).to.equal(null)
  })

  it('differs each time, and shows nothing of the text', () => {
    const [one, two] = [seal(publicKey, 'secret'), seal(publicKey, 'secret')]
    expect(one.equals(two)).to.equal(false)
    expect(one.includes('secret')).to.equal(false)
  })

  it('does not open once any byte of it was altered, or cut off', () => {
    const box = seal(publicKey, 'secret')
    const opened = [...box.keys()].filter((index) => {
      const altered = Buffer.from(box)
      altered.writeUInt8(box.readUInt8(index) ^ 1, index)
      return open(privateKey, altered) !== null
    })
    // The highest bit of an X25519 key is not its own (RFC 7748, section 5); its lowest, altered here, is.
    expect(opened).to.deep.equal([])
    expect(
      [...box.keys()].filter((length) => open(privateKey, box.subarray(0, length)) !== null),
    ).to.deep.equal([])
  })

  it('is not opened for a message key of low order', () => {
    const box = seal(publicKey, 'secret')
    box.fill(0, 1, 33)
    expect(open(privateKey, box)).to.equal(null)
  })

  it('has a public key that follows from the private one', () => {
    expect(publicKeyOf(privateKey).equals(publicKey)).to.equal(true)
  })
})
