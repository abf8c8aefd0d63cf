import { expect } from 'chai'
import { createSealKeys, createUnseal, derivePublicKey, seal } from '../../../shared/domain/sealed-box.ts'

describe('a sealed box', () => {
  const { publicKey, privateKey } = createSealKeys()
  const unseal = createUnseal([privateKey])

  it('opens with the private key', () => {
    expect(unseal(seal(publicKey, 'whsec_é'))).to.equal('whsec_é')
  })

  it('opens with any of several private keys', () => {
    expect(createUnseal([createSealKeys().privateKey, privateKey])(seal(publicKey, 'secret'))).to.equal(
      'secret',
    )
  })

  it('does not open with any other key, including the public key', () => {
    const box = seal(publicKey, 'secret')
    expect(createUnseal([createSealKeys().privateKey])(box)).to.equal(null)
    expect(createUnseal([publicKey])(box)).to.equal(null)
  })

  it('differs each time and does not contain the text', () => {
    const [one, two] = [seal(publicKey, 'secret'), seal(publicKey, 'secret')]
    expect(one.equals(two)).to.equal(false)
    expect(one.includes('secret')).to.equal(false)
  })

  it('does not open if any byte is altered or missing', () => {
    const box = seal(publicKey, 'secret')
    const opened = [...box.keys()].filter((index) => {
      const altered = Buffer.from(box)
      altered.writeUInt8(box.readUInt8(index) ^ 1, index)
      return unseal(altered) !== null
    })
    // X25519 ignores the highest bit of a key (RFC 7748, section 5), so this test alters the lowest bit.
    expect(opened).to.deep.equal([])
    expect([...box.keys()].filter((length) => unseal(box.subarray(0, length)) !== null)).to.deep.equal([])
  })

  it('does not open if the message’s public key has low order', () => {
    const box = seal(publicKey, 'secret')
    box.fill(0, 1, 33)
    expect(unseal(box)).to.equal(null)
  })

  it('has a public key that can be derived from the private key', () => {
    expect(derivePublicKey(privateKey).equals(publicKey)).to.equal(true)
  })
})
