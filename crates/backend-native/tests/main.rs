//! The tests of `polhode-backend-native` in one program, since every program links everything again.

mod conformance;
