// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { TestSigningWallet } from "./accounts/TestSigningWallet.sol";
import { Authorizations } from "./tokens/Authorizations.sol";
import { TestUSDC } from "./tokens/TestUSDC.sol";
import { Test } from "forge-std/Test.sol";

/// @notice Checks that the test USDC executes authorizations like FiatTokenV2_2, which other tests rely on.
contract AuthorizationTest is Test {
    uint256 private constant ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;
    uint256 private constant NOW = 1_800_000_000;
    bytes32 private constant NONCE = keccak256("a nonce");
    uint256 private constant AMOUNT = 100e6;

    TestUSDC private usdc;
    address private payer;
    uint256 private key;
    address private charge = makeAddr("a charge");

    struct Terms {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    function setUp() public {
        (payer, key) = makeAddrAndKey("payer");
        usdc = new TestUSDC(6);
        usdc.mint(payer, AMOUNT);
        vm.warp(NOW);
    }

    function test_signs_asUsdCoin2() public {
        // With the address and chain id of USDC on base, the separator must begin with the same four bytes as the
        // real token's.
        vm.chainId(8453);
        vm.etch(0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913, address(usdc).code);
        TestUSDC real = TestUSDC(0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913);
        for (uint256 slot = 0; slot < 8; slot++) {
            vm.store(address(real), bytes32(slot), vm.load(address(usdc), bytes32(slot)));
        }
        assertEq(bytes4(real.DOMAIN_SEPARATOR()), bytes4(0x02fa7265));
    }

    function testFuzz_pays_whoeverSends_byEitherForm(address sender, bool isByBytes) public {
        bytes memory signature = signed(termsOf(payer));
        vm.expectEmit(address(usdc));
        emit Authorizations.AuthorizationUsed(payer, NONCE);
        vm.prank(sender);
        if (isByBytes) payByBytes(termsOf(payer), signature);
        else payByKey(termsOf(payer), signature);
        assertEq(usdc.balanceOf(charge), AMOUNT);
        assertTrue(usdc.authorizationState(payer, NONCE));
    }

    function test_reverts_aSecondTime() public {
        bytes memory signature = signed(termsOf(payer));
        payByKey(termsOf(payer), signature);
        usdc.mint(payer, AMOUNT);
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        payByBytes(termsOf(payer), signature);
    }

    function test_reverts_atItsFirstAndItsLastSecond() public {
        Terms memory terms = termsOf(payer);
        terms.validAfter = NOW;
        bytes memory signature = signed(terms);
        vm.expectRevert("FiatTokenV2: authorization is not yet valid");
        payByKey(terms, signature);

        (terms.validAfter, terms.validBefore) = (0, NOW);
        signature = signed(terms);
        vm.expectRevert("FiatTokenV2: authorization is expired");
        payByKey(terms, signature);

        (terms.validAfter, terms.validBefore) = (NOW - 1, NOW + 1);
        payByKey(terms, signed(terms));
    }

    function testFuzz_reverts_forOtherTermsThanSigned(uint8 which) public {
        Terms memory terms = termsOf(payer);
        bytes memory signature = signed(terms);
        which = uint8(_bound(which, 0, 4));
        if (which == 0) terms.to = makeAddr("a thief");
        if (which == 1) terms.value -= 1;
        if (which == 2) terms.validAfter += 1;
        if (which == 3) terms.validBefore += 1;
        if (which == 4) terms.nonce = keccak256("another nonce");
        vm.expectRevert("FiatTokenV2: invalid signature");
        payByKey(terms, signature);
    }

    function test_reverts_onAnotherChain() public {
        bytes memory signature = signed(termsOf(payer));
        vm.chainId(block.chainid + 1);
        vm.expectRevert("FiatTokenV2: invalid signature");
        payByKey(termsOf(payer), signature);
    }

    function test_reverts_forV0Or1_aHighS_andAnotherLength() public {
        Terms memory terms = termsOf(payer);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digestOf(terms));
        vm.expectRevert("ECRecover: invalid signature 'v' value");
        payByBytes(terms, abi.encodePacked(r, s, v - 27));
        vm.expectRevert("ECRecover: invalid signature 's' value");
        payByBytes(terms, abi.encodePacked(r, bytes32(ORDER - uint256(s)), 55 - v));
        vm.expectRevert("ECRecover: invalid signature length");
        payByBytes(terms, abi.encodePacked(r, s));
    }

    function test_asks_aContractOnly() public {
        TestSigningWallet wallet = new TestSigningWallet(payer);
        usdc.mint(address(wallet), AMOUNT);
        Terms memory terms = termsOf(address(wallet));
        bytes memory signature = signed(terms);
        wallet.behave(TestSigningWallet.Manner.RefusesAll);
        vm.expectRevert("FiatTokenV2: invalid signature");
        payByKey(terms, signature);

        wallet.behave(TestSigningWallet.Manner.AsksItsOwner);
        payByKey(terms, signature);
        assertEq(usdc.balanceOf(charge), AMOUNT);

        wallet.behave(TestSigningWallet.Manner.AgreesToAll);
        usdc.mint(address(wallet), AMOUNT);
        terms.nonce = keccak256("another nonce");
        payByBytes(terms, "anything");
    }

    /// @dev The account of this key has delegated code (EIP-7702), which rejects the key's own signature.
    function test_asks_theCodeOfADelegatedKey() public {
        TestSigningWallet wallet = new TestSigningWallet(makeAddr("somebody else"));
        vm.signAndAttachDelegation(address(wallet), key);
        bytes memory signature = signed(termsOf(payer));
        vm.expectRevert("FiatTokenV2: invalid signature");
        payByKey(termsOf(payer), signature);
    }

    function test_reverts_onceCanceled_andCancelsNothingThatIsUsed() public {
        bytes32 structHash = keccak256(abi.encode(usdc.CANCEL_AUTHORIZATION_TYPEHASH(), payer, NONCE));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, typed(structHash));
        vm.expectEmit(address(usdc));
        emit Authorizations.AuthorizationCanceled(payer, NONCE);
        usdc.cancelAuthorization(payer, NONCE, v, r, s);

        bytes memory signature = signed(termsOf(payer));
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        payByKey(termsOf(payer), signature);
        vm.expectRevert("FiatTokenV2: authorization is used or canceled");
        usdc.cancelAuthorization(payer, NONCE, abi.encodePacked(r, s, v));
    }

    function test_reverts_andSpendsNothing_whilePausedOrBlacklisted() public {
        bytes memory signature = signed(termsOf(payer));
        usdc.pause();
        vm.expectRevert("Pausable: paused");
        payByKey(termsOf(payer), signature);
        usdc.unpause();
        usdc.blacklist(payer);
        vm.expectRevert("Blacklistable: account is blacklisted");
        payByKey(termsOf(payer), signature);
        assertFalse(usdc.authorizationState(payer, NONCE));
    }

    function termsOf(address from) private view returns (Terms memory) {
        return Terms(from, charge, AMOUNT, 0, NOW + 60, NONCE);
    }

    function signed(Terms memory terms) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digestOf(terms));
        return abi.encodePacked(r, s, v);
    }

    function digestOf(Terms memory terms) private view returns (bytes32) {
        return typed(keccak256(abi.encode(usdc.TRANSFER_WITH_AUTHORIZATION_TYPEHASH(), terms)));
    }

    function typed(bytes32 structHash) private view returns (bytes32) {
        return keccak256(abi.encodePacked("\x19\x01", usdc.DOMAIN_SEPARATOR(), structHash));
    }

    function payByBytes(Terms memory t, bytes memory signature) private {
        usdc.transferWithAuthorization(t.from, t.to, t.value, t.validAfter, t.validBefore, t.nonce, signature);
    }

    function payByKey(Terms memory t, bytes memory signature) private {
        (bytes32 r, bytes32 s) = abi.decode(signature, (bytes32, bytes32));
        uint8 v = uint8(signature[64]);
        usdc.transferWithAuthorization(t.from, t.to, t.value, t.validAfter, t.validBefore, t.nonce, v, r, s);
    }
}
