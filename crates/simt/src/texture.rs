//! What a host says of a texture or surface: the descriptor that `texture.h` of the compiler reads.
//! A texture object is the address of these bytes in device memory; a reference
//! (`texture<float, 2> t;`) is a variable of [`Texture::BYTES`] bytes that the host fills.

/// A picture in device memory, and how it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// Address of the first texel.
    pub data: u64,
    /// Texels along x, y and z; 1 where there is no such axis.
    pub size: [u32; 3],
    /// Bytes from row to row.
    pub pitch: u32,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Bits of a channel: 8, 16 or 32.
    pub bits: u32,
    /// Channels are signed whole numbers, or `float`.
    pub signed: bool,
    /// Interpolate between texels (weights of 8 fractional bits), instead of the nearest one.
    pub linear: bool,
    /// What stands outside of the picture.
    pub address: Address,
    /// Coordinates go from 0 to 1 instead of counting texels.
    pub unit_coords: bool,
    /// Whole numbers are read as 0 to 1, or -1 to 1.
    pub unit_values: bool,
    /// What OpenCL calls the type of a channel, as `CL_FLOAT`: for
    /// `get_image_channel_data_type`.
    pub channel_type: u32,
}

/// What stands outside of the picture; the numbers are those of `cudaTextureAddressMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// The picture again (with coordinates 0 to 1; else as [`Address::Clamp`]).
    Wrap = 0,
    /// The texel at the edge.
    Clamp = 1,
    /// The picture mirrored (with coordinates 0 to 1; else as [`Address::Clamp`]).
    Mirror = 2,
    /// Zero.
    Border = 3,
}

/// What OpenCL calls a channel of `bits` bits where nobody has said it: numbers from 0 or -1 to 1,
/// halves, and in 32 bits `float` or whole numbers.
pub fn channel_type(bits: u32, signed: bool, float: bool, unit_values: bool) -> u32 {
    match (bits, signed) {
        (8, true) => 0x10d0,
        (8, false) => 0x10d2,
        (16, true) if unit_values => 0x10d1,
        (16, false) if unit_values => 0x10d3,
        (16, _) => 0x10dd,
        _ if float => 0x10de,
        (_, true) => 0x10d9,
        (_, false) => 0x10dc,
    }
}

impl Texture {
    /// Size of a descriptor.
    pub const BYTES: usize = 64;

    /// The descriptor as the device reads it.
    pub fn bytes(&self) -> [u8; Texture::BYTES] {
        let address = self.address as u32;
        let words = [
            self.size[0],
            self.size[1],
            self.size[2],
            self.pitch,
            self.channels,
            self.bits,
            u32::from(self.signed),
            u32::from(self.linear),
            address,
            address,
            address,
            u32::from(self.unit_coords),
            u32::from(self.unit_values),
            self.channel_type,
        ];
        let mut out = [0; Texture::BYTES];
        out[..8].copy_from_slice(&self.data.to_le_bytes());
        for (to, word) in out[8..].chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        out
    }
}
