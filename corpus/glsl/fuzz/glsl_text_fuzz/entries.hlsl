struct V { float4 p : SV_Position; };
[numthreads(8,8,1)] void C(uint3 i : SV_DispatchThreadID) {}
V main(float3 p : POSITION) { V v; return v; }
